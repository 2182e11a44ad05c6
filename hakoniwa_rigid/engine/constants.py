# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tolerances that several rooms share, and budgets: each with its unit, its reason, and what breaks without it.

Tolerances of one method stand at the top of its file, with unit and reason.
"""

# lanes of a body block: eight float64 fill one AVX-512 register, two AVX2 registers
LANES = 8

# No divisor is less than this, so that nothing is divided by 0; beside any other number it is nothing.
LEAST_DIVISOR = 1e-300

# m. Gaps up to this count as touching.  Larger: contacts act at a distance that a user can see.  Smaller: rounding of
# coordinates at 1 km (1e-13 m) starts to make resting contacts flicker.
TOUCH = 1e-8

# Contact with a body of infinite mass that turns.  What lies on it is carried round, but velocities go straight on for
# a step, those of a hand for a tick of several steps: so contact points separate and touch again.  Steps for which
# velocities may be held; m/s, least and most change of velocity in a step that is put down to it; m, widest gap that
# counts as touching for it.  Smaller: on a palm that is turned a drone has impacts in every step.  Larger: impacts on a
# turning hand come early, or their solution is coarse.
HELD_STEPS = 10.0
LEAST_VELOCITY_CHANGE, MOST_VELOCITY_CHANGE = 1e-6, 2e-4
WIDEST_TOUCH = 1e-5

# m. Depth left alone by the overlap recovery, so that a resting contact is not pushed off and lost.
SLOP = 1e-8

# m. A root of the gap function is accepted here; the closing Newton step then brings it to rounding.
TOI_GAP = 1e-12

# m. Below this gap the time-of-impact search trusts Newton's step; above, only the conservative bound.
TOI_NEWTON_GAP = 1e-3

# Evaluations of the gap function per search.  Exhausted only by grazing, fast-spinning pairs; the search is then taken
# up again as an event of its own.
TOI_MAX_EVALUATIONS = 96

# m/s. Approach speeds below this are rounding, and get no impact.
APPROACH = 1e-11

# m/s, the default of WorldBuilder(restitution_threshold=): slower impacts do not bounce (docs/solvers.md, part I).
RESTITUTION_THRESHOLD = 0.01

# Impacts of one body in one step after which restitution is taken as 0 (Zeno), and after which the pair waits for the
# next step.  A ball between two walls closing on it needs a handful.
IMPACTS_BEFORE_INELASTIC = 16
IMPACTS_PER_BODY = 32
# Events of a touching pair in one step, of further corners, ends of slides or its points that come back, after which it
# waits for the next step: what goes to and fro between two faces would have hundreds.
LATE_EVENTS = 8
# rad: what turns by more within a step has no contact point that says where it will be at the end of it.
LONG_TURN = 1.0
# The count of a body in an infeasible island, squeezed between bodies of infinite mass: its impacts have no solution.
# No more of them are looked for in this step; it moves on with clamped impulses, and the overlap is for the recovery.
INFEASIBLE = 1e6

# Share of the step below which what is left of it after an impact counts as none.
SHORTEST_REST = 1e-9

# Passes of one impact through an island, before the last one takes what is left without restitution.  A row of n balls
# needs n.
REFLECTIONS = 64

# Rounds of pair after pair in the model `impulse`: with restitution, then without.  A row of n balls needs n.
IMPULSE_ROUNDS = 32
INELASTIC_ROUNDS = 200

# m/s: a row that may approach this fast takes no impulse.
NO_MATTER = 1e30

# Relative change of the velocities in a sweep at which Gauss-Seidel has converged: of an impact, which is solved once,
# and of resting forces, where every step goes on from the last.
SOLVE_TOLERANCE = 1e-14
REST_TOLERANCE = 1e-11
# m/s^2: changes of acceleration in a sweep that are none.  Larger: what stands under a heavy load begins to creep.
STILL = 1e-8
# So many times what STILL is in a step is neither approach nor separation: the rest of the step takes it up.
# Smaller: whatever stands under a heavy load has impacts in every step.
LEFT_TO_REST = 10.0
# m. A contact point that has moved by more than its bodies and this is another one: it has no forces to remember.
SAME_POINT = 1e-5
# SOLVE_TOLERANCE times this counts after all rows were solved together: redundant impulses cancel, and leave rounding.
SHARED = 100.0
# Sweeps before all rows are solved together, at first and then, and the rounds of both; one round is the rule.
FIRST_SWEEPS, SWEEPS_PER_ROUND = 3, 8
SOLVE_ROUNDS = 4
# Multiplications of one factorisation, some 5 ms, beyond which an island is left to the sweeps; and those that may be
# spent on solving all rows together, some 20 ms.
LARGEST_FACTOR = 10_000_000
TOGETHER_BUDGET = 20_000_000

# Work units, of some 0.1 us: of a row in a sweep, of a row in a sweep of a crowd, of a manifold by closed forms, by the
# general narrow phase, of a patch of a mesh; of a look at a later time; multiplications of a factorisation that make
# one, and looks at a candidate pair that may touch when its bodies are hit.
ROW_WORK, CROWD_ROW_WORK, MANIFOLD_WORK, GENERAL_WORK, PATCH_WORK, LOOK_WORK, PRODUCTS = 2, 1, 8, 60, 30, 5, 200
PAIR_LOOKS = 4
# work units: no limit
NO_BUDGET = 1 << 50
# What the contacts of a cluster may cost in a step of 1 ms before it is a crowd: of one body or two, and more for each
# pair of parts (a body alone may lie on dozens of tiles; less where a hand pushes it); of several, where these are more
# than FEW less by the square of their number, but no less than LEAST_BUDGET.  Each island has the share of its bodies;
# and something for each body that moves and each pair of parts in any case.  Longer steps may cost more in proportion,
# up to LONGEST_BUDGET times.
LONE_BUDGET, LONE_PAIR_BUDGET, PUSHED_PAIR_BUDGET, CLOSE_BUDGET, CLOSE_PAIR_BUDGET = 4_000, 3_000, 1_000, 1_000, 100
LEAST_BUDGET, FEW = 700, 4
BODY_BUDGET, PAIR_BUDGET, LONGEST_BUDGET = 50, 15, 10.0
# What an island with constraints may cost in a step of 1 ms, and more for each constraint and pair of parts in it.
# Beyond that it has no more events in the step, and its solves take the fewest rounds.
JOINED_BUDGET, JOINT_BUDGET = 40_000, 1_500
# What an island may cost beyond that: its bodies have credit, of which some is given back in every step.  All of it for
# clusters of up to CREDITED bodies that are all slower than CALM (m/s, or what gravity gives in two steps); of more
# bodies less, by the sixth power of their number: a stack is solved exactly, for heaps there are crowds.
# SETTLED_CREDIT: most for bodies that have been in a crowd, and for more than CREDITED in a step where any moves;
# CREDIT_A_STEP: the same of those that have been in one and move, and of up to FEW with no more than SETTLED_CREDIT.
# STRUCK_CREDIT: once, where one body strikes others, two at least, that are all at rest (m/s), as in a break at
# billiards.
MOST_CREDIT, CREDIT, CREDITED = 1_000_000, 1_000, 10
SETTLED_CREDIT, CREDIT_A_STEP, STRUCK_CREDIT, AT_REST = 20_000, 1_000, 20_000, 1e-6
CALM = 0.1
# impacts of a body in a step from which on it is not calm: what chatters has no credit
CALM_HITS = 8
# Most sweeps of a crowd, of one of more than HUGE bodies, and with restitution or after an exact solve in the same
# step.  Fewer: in a high heap single bodies creep on, their friction comes and goes with what the sweeps leave.
CROWD_SWEEPS, HUGE_SWEEPS, BOUNCE_SWEEPS, HUGE = 60, 300, 40, 100
# Work units that a crowd of up to CREDITED bodies may spend on solving all rows together where sweeps are slow: stacks,
# and light bodies under heavy ones.  Crowds in larger clusters have less, by the square of their number.
FREE_WORK = 3_000
# The same for each body of a crowd whose masses differ by more than UNEVEN.
UNEVEN_WORK, UNEVEN = 4_000, 30.0
# m: overlap that a crowd leaves: what its solve leaves comes and goes, and to part that at once would shake it; steps
# of what the solve of a small crowd has left that may overlap, where that is less
CROWD_SLOP, LEFT_BY_SOLVE = 5e-5, 10.0
# m/s: contacts farther apart than twice what their bodies may travel, by what this is in a step, are in a crowd's
# problem too: an impact goes through several bodies in a step.
CROWD_SPEED = 3.0
# Impulses of a crowd above this many times its momentum have no bound.
CROWD_CAP = 4.0
# s: how long a crowd stays one before its contacts are tried exactly again, at first and at most.
CROWD_TIME, LONGEST_CROWD_TIME = 0.05, 3.2
# s: time in which slow bodies of a crowd on the ground that do not fall lose their speed, but for 1/e of it; so many
# times as fast at most in a crowd that stays one.
CROWD_DAMPING, MOST_DAMPED = 0.25, 16.0
# m/s: a crowd whose time is over and whose bodies are all slower comes to rest, and is solved exactly from there.
SETTLED = 0.02

# m/s: bodies that are slower have come to rest; s: how long, before they sleep; steps between two looks.  Larger: what
# topples slowly is stopped.
STILL_SPEED, SLEEP_TIME, SLEEP_EVERY = 1e-8, 0.25, 16
# m/s, m/s and m: bodies outside crowds that recovery moves have come to rest where it moves them no faster, they are
# slower and come no farther than this: what leans on others sinks and is lifted in every step.
LIFTED, LIFTED_SPEED, LIFTED_STRAY = 1e-4, 1e-3, 1e-5
# m and m/s: bodies of a crowd that do not come farther in that time, and whose overlaps recovery moves no faster, have
# come to rest: their speeds come and go from step to step.  s: crowds sleep that have tried in vain to be solved
# exactly, and stay crowds for this long.
CROWD_STRAY, CROWD_RECOVERY, LEAST_WAIT = 2.5e-3, 0.02, 0.1
# relative: sum of the impulses of a step on an island, loads too, that is none; times SLEEP_TIME for which a crowd
# waits for such a step.  Larger: the contacts that are logged while it sleeps do not carry it.
CARRIED, UNCARRIED = 0.005, 4

# Relative energy gain of an impact taken as rounding; above it restitution is lowered (docs/solvers.md, part I, e').
ENERGY_TOLERANCE = 1e-13
# Halvings of the interval of e'/e: 2^-60 is below the rounding of e.
ENERGY_BISECTIONS = 60

# 1/step and m/s: share of the overlap recovered per step and its speed limit.  It moves positions only, never
# velocities.
RECOVERY_RATE = 0.2
RECOVERY_SPEED = 1.0
RECOVERY_SWEEPS = 4
# s. Surfaces that separate by themselves within this time are left alone.  Shorter: bodies that have pressed into each
# other in a contact over time are moved and turned while they come out.
RECOVERY_PATIENCE = 0.05

# rad/s: rate of a contact point of the model `penalty` where no stiffness is given; contact points of one body that the
# stable step allows for (those of a box between two others), more share the stiffness of so many.
PENALTY_RATE = 200.0
PENALTY_POINTS = 8

# m. Least skin of the candidate pairs: they are rebuilt when a body has used up its skin, but for so many times what it
# may travel in the step.  Pairs that are not in the list are then farther apart than those that are looked at: 4 times
# what the faster one may travel, and twice what both may in a crowd (detect/contact_pairs).
SKIN, LOOKED_AT = 0.05, 6.0
# m: by so much more than rounding changes distances an old bound has to be larger than what is wanted now.
SURE = 1e-7
# Steps that a skin should last: where bodies have less than one candidate pair each, where they have more, and in any
# case.
ROOMY_SKIN, CROWDED_SKIN, SHORTEST_SKIN = 80.0, 40.0, 4.0

# rad. Longest rotation of one free-rotation substep: the truncation of its series, (0.0125)^8, is at rounding.
ROTATION_SUBSTEP = 0.0125
# Substeps up to which eight bodies are turned together; where one needs more, each is turned by itself.
VECTOR_SUBSTEPS = 8
# Substeps allowed per step; 8e6 x 0.0125 rad is 1e5 rad/s, the greatest rate taken, for 1 s, the longest step taken.
ROTATION_MAX_SUBSTEPS = 8_000_000

# rad. Longest turn of one substep of `rk4` and `implicit_midpoint`.  Beyond, Runge-Kutta loses its order and Newton's
# iteration of the midpoint rule, which takes 3 or 4 rounds here, may find another root.
LONGEST_TURN = 0.5
MIDPOINT_ITERATIONS = 8

# relative. Triangle inequality of principal moments, symmetry of the tensor: room for rounding of measured tensors.
INERTIA_TOLERANCE = 1e-9
# Unit quaternions given by users may be this far from length 1; they are normalised silently below, refused above.
UNIT_TOLERANCE = 1e-3
# m, m/s: coordinates and speeds beyond these are refused as absurd: a double resolves 1e-10 m at 1e6 m.
MAX_COORDINATE = 1e6
# m: a constraint holds a body that moves no farther from its centre of mass
MOST_ARM = 1e3
MAX_SPEED = 1e5
# m/s, rad/s: the limit of a body's speeds unless a world has lower ones: longer than any velocity that may be set.
FASTEST = 1.75 * MAX_SPEED
# m: where a body that leaves for good is stopped; within MAX_COORDINATE, so that it can still be set where it is.
BORDER = 0.999 * MAX_COORDINATE
# Share of MAX_SPEED by which impacts over time may change a body's speed in a step: room for other loads.
MOST_PENDING = 0.5
MAX_SIZE = 1e5
MIN_SIZE = 1e-6

# mass properties

# relative. What a sum of rounded terms leaves where it should be 0: flat bodies, masses that cancel, products of
# inertia and moments beside the largest moment.  Larger: thin plates count as flat.  Smaller: a rotated flat body gets
# a mass, and the axes of a cube's mesh point anywhere.
ROUNDING = 1e-14
# relative to the size of a face. How far from it, inside its part of a mesh, the point lies that stands for the part
# when cavities are looked for.  Larger: it leaves thin parts.  Smaller: where walls touch, it counts as on both.
CAVITY_PROBE = 1e-6
# relative to the extent. Points this close to a line or plane are said to lie on it, where they have no volume.
STRAIGHT = 1e-9
# faces of a mesh in one pass of array operations: what is computed for them stays in the processor's cache
FACES_PER_PASS = 8192
