"""Contact events: contact points of the engine merged per pair of parts, and reported as begin, persist and end.

Here: the log (`events`), merging, what is summed over a contact (`amounts`), contacts of observed drones, and reports
on those that do not follow the impulses reported to them.
Not here: impulses themselves (engine), event messages (codec), comparing runs (replay/diff).
"""
