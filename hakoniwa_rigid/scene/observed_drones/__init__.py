"""Drones under the authority `observe`: what their simulators are told of an impact, and whether they do it.

Here: impacts as the two-body formula wants them, and the response of each simulator in its samples.
Not here: the log of contacts (scene/events).
"""
