"""Every tolerance of the engine, with its unit, its reason, and what breaks without it."""

# lanes of a body block: eight float64 fill one AVX-512 register, two AVX2 registers
LANES = 8

# m. Gaps up to this count as touching.  Larger: contacts act at a distance that a user can see.  Smaller: rounding of
# coordinates at 1 km (1e-13 m) starts to make resting contacts flicker.
TOUCH = 1e-8

# Contact with a body that nothing stops and that turns.  What lies on it is carried round, but velocities go straight
# on for a step, those of a hand for a tick of several steps: so contact points part and meet again.  Steps for which
# velocities may be held; m/s, least and most change of velocity in a step that is put down to it; m, widest gap that
# counts as touching for it.  Smaller: on a palm that is turned a drone has impacts in every step.  Larger: impacts on a
# turning hand come early, or their solution is coarse.
HELD_STEPS = 10.0
LEAST_DRIFT, MOST_DRIFT = 1e-6, 2e-4
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

# m/s, the default of WorldBuilder(restitution_threshold=): slower impacts do not bounce (physics.md section 3).
RESTITUTION_THRESHOLD = 0.01

# Impacts of one body in one step after which restitution is taken as 0 (Zeno), and after which the pair waits for the
# next step.  A ball between two walls closing on it needs a handful.
IMPACTS_BEFORE_INELASTIC = 16
IMPACTS_PER_BODY = 32
# the count of a body crushed between others that nothing stops: its impacts have no solution, so it is looked for no
# more of them in this step; it moves on as the compromise says, and the overlap is for the recovery
CRUSHED = 1e6

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
# So many times what STILL is in a step is neither an approach nor a parting: the rest of the step takes it up.
# Smaller: whatever stands under a heavy load has impacts in every step.
LEFT_TO_REST = 10.0
# m. A contact point that has moved by more than its bodies and this is another one: it has no forces to remember.
SAME_POINT = 1e-5
# SOLVE_TOLERANCE times this counts after all rows were solved together: redundant impulses cancel, and leave rounding.
SHARED = 100.0
# Sweeps before all rows are solved together, and the rounds of both; one round is the rule.
SWEEPS_PER_ROUND = 8
SOLVE_ROUNDS = 4
# Multiplications of one factorisation, some 5 ms, beyond which an island is left to the sweeps; and those that may be
# spent on solving all rows together, some 20 ms.
LARGEST_FACTOR = 10_000_000
TOGETHER_BUDGET = 20_000_000

# Relative energy gain of an impact taken as rounding; above it restitution is lowered (physics.md section 3, e').
ENERGY_TOLERANCE = 1e-13
# Halvings of the interval of e'/e: 2^-60 is below the rounding of e.
ENERGY_BISECTIONS = 60

# 1/step and m/s: share of the overlap recovered per step and its speed limit.  It moves positions only, never
# velocities.
RECOVERY_RATE = 0.2
RECOVERY_SPEED = 1.0
RECOVERY_SWEEPS = 4
# s. Surfaces that part by themselves within this time are left alone.  Shorter: bodies that have pressed into each
# other in a contact over time are moved and turned while they come out.
RECOVERY_PATIENCE = 0.05

# rad/s: rate of a contact point of the model `penalty` where no stiffness is given; contact points of one body that the
# stable step allows for (those of a box between two others), more share the stiffness of so many.
PENALTY_RATE = 200.0
PENALTY_POINTS = 8

# m. Least skin of the candidate pairs: they are rebuilt when a body has used up its skin.
SKIN = 0.05
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
MAX_SPEED = 1e5
# m/s, rad/s: the limit of a body's speeds unless a world has lower ones: longer than any velocity that may be set.
FASTEST = 1.75 * MAX_SPEED
# m: where a body that leaves for good is stopped; within MAX_COORDINATE, so that it can still be set where it is.
BORDER = 0.999 * MAX_COORDINATE
# Share of MAX_SPEED by which impacts over time may change a body's speed in a step: room for other loads.
MOST_OWED = 0.5
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
