# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones between their inputs and the engine: samples, authority, offsets from the reference, rotors, exported states.

Here: the arrays of the fleet (`rows`), what judges and stores samples (`input_kernels`, `stamps`), what prepares drones
for the steps and reads them after (`stepper`, `tick_kernels`).
Not here: messages and clocks (scene/inputs), contacts (scene/events), drones whose simulator applies impulses itself
(scene/observed_drones).
"""
