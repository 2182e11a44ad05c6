# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the columns of the engine's arrays are.  One page, so that every kernel reads the same map.

Kernels read most of them by the names in `records` (`c.normal_impulse`); numbers are for what has none there, and for
kernels that are given the number of a column.

Memory layout, chosen for speed (docs/adr/0001-engine-layout.md):

``block`` (blocks, BLOCK x 8)   8 bodies side by side, column f of lane k at f * 8 + k: state, constants, the load of
                             the step, and whether it flies free.  The free-flight pass runs over whole blocks in
                             vector registers; for that the stride must be a constant of the code and all columns must
                             lie in one array
``todo``  (TODO, blocks)      what the passes have to do in a block
``close`` (bodies,)          bodies near a contact in this step, ascending: those with a contact pair, in the end those
                             of them that contacts move
``clear`` (pairs, CLEAR)     what keeps a candidate pair apart
``work``  (bodies, WORK)     one contiguous row per body, filled only for bodies near a contact in this step: the
                              solver's copy
``body``  (bodies, BODY)     integers
``load``  (LOADS, bodies, 3)  forces and torques that the user gives
``tensor`` (bodies, TENSOR)  inertia as a full tensor, in worlds that ask for it
``material`` (bodies + pairs, MATERIAL), ``curve`` (points, 2)   materials of bodies, then of pairs of classes of bodies
                             (`special`); the tables of restitution by speed, (m/s, e)
``pending`` (bodies, PENDING), ``profile`` (profiles, PROFILE)   impacts that are still being delivered, by body and one
                             by one
``geom``  (shapes, GEOM), ``geom_i`` (shapes, GEOM_I)   shapes, in their body's principal frame about its centre of
                             mass; the shapes of a body are neighbours
``beside`` (neighbours, BESIDE)   shapes that lie beside each other and stand still against each other
``travel`` (TRAVEL, lanes)   motion bounds of every body
``bucket``, ``ball`` (BALL, bodies), ``cell`` (bodies, CELL)   the grid of the broadphase
``pair_i`` (contact pairs, PAIR_I), ``pair_f`` (contact pairs, PAIR_F)   shape pairs that may touch within this step, in
                             the order of their bodies, shapes, patches of a mesh (P_SUB: first triangle)
``row``   (4 x contact pairs, ROW)   contact points: contact pair k owns rows 4k .. 4k+3
``cache`` (2, contact pairs, CACHE)   manifolds of crowds, of the last step and of this one, by turns
``still`` (bodies, STILL), ``rest`` (rows, REST)   what is kept of bodies and contacts asleep
``out``   (log rows, OUT)    what the user sees in contacts() and contact_log()
``joint`` (constraints, JOINT), ``joint_i`` (constraints, JOINT_I)   constraints between bodies, in places that are
                             used again; ``joint_island`` (2 x constraints,) those of the island in hand, and room
``joint_log`` (rows, JOINT_LOG)   cables that became taut or slack, constraints that broke
"""

# ---- block: state, world frame; quaternion is principal frame -> world
H_X, H_Q, H_V, H_W = 0, 3, 7, 10
STATE = 13
# constants: 1/mass, inverse principal moments, Euler coefficients ((Iy-Iz)/Ix, ...), gravity scale
H_IM, H_J, H_C, H_G = 13, 14, 17, 20
# scratch of the pass: force N and torque N m (world), 1 for lanes that fly free, until contacts move their body
H_F, H_T, H_FREE = 21, 24, 27
# position at the last rebuild of the candidate list, and how far (m) from there the list holds good
H_ANCHOR, H_SKIN = 28, 31
# scratch of free flight: rate at the end (rad/s), its square at the start, in the body; parts that the rotation of this
# step is cut into; rotation vector (rad), where loads are no longer wanted
H_TURN_END, H_TURN_W2, H_PARTS, H_TURN_R = 32, 35, 36, H_F
BLOCK = 37
# of the motion bounds, before that: as in `travel`
H_REACH, H_USED = 32, 33

# ---- travel, by body: bound (m) on the travel in this step, distance (m) from the anchor
V_REACH, V_USED = 0, 1
TRAVEL = 2

# ---- clear: m between the balls of the two bodies when the list was built; a direction along which their shapes were
# apart when last looked at (unit, a -> b, world), or 0; m between the balls now, once asked for in this step
C_GAP, C_N, C_NOW = 0, 1, 4
CLEAR = 5

# ---- todo, by block: a bit for each lane that has a work row in this step; 1 if a torque acts; 1 if a body turns so
# fast that its rotation is cut into parts, 2 if into too many for the vector pass
DO_NEAR, DO_TORQUED, DO_FAST = 0, 1, 2
TODO = 3

# ---- load: persistent force N and torque N m, then those of the next step only; world, (LOADS, bodies, 3)
LOAD_F, LOAD_T, PUSH_F, PUSH_T = 0, 1, 2, 3
LOADS = 4

# ---- tensor: inertia about the centre of mass in the body frame and its inverse, (xx, xy, xz, yy, yz, zz)
T_I, T_J = 0, 6
TENSOR = 12
# integrators and storages of the inertia (docs/free_motion.md)
EXACT, SEMI_IMPLICIT_EULER, RK4, IMPLICIT_MIDPOINT = 0, 1, 2, 3
PRINCIPAL, FULL = 0, 1

# ---- work row of a body
W_X, W_Q, W_V, W_W = 0, 3, 7, 10                # state at local time W_TIME
W_IM, W_J, W_C = 13, 14, 17                     # inverse mass, inverse principal moments, Euler coefficients
W_IW = 20                                       # world inverse inertia, symmetric (xx, xy, xz, yy, yz, zz)
W_A, W_T = 26, 29                               # acceleration (m/s^2) and torque (N m), constant until the next event
W_V1, W_W1 = 32, 35                             # velocities predicted for the end of the step
W_EXT_A, W_EXT_T = 38, 41                       # external part of W_A, W_T
W_TIME = 44                                     # s since the start of the step
W_HITS = 45                                     # impacts in this step
W_DX, W_DR = 46, 49                             # overlap recovery: shift (m) and rotation (rad)
W_SCHEME, W_STORAGE = 52, 53                    # integrator; storage of the inertia
W_TENSOR = 54                                   # row of `tensor`, where the storage is FULL
W_KEPT = 66                                     # velocities (m/s, rad/s) put aside while an impact is computed
W_STIR = W_KEPT                                 # in a crowd: sweep that last changed its velocity
W_BACK = 72                                     # velocities (m/s, rad/s) to go back to where a solve costs too much
W_DONE = 78                                     # 1: its path is settled until the end of the step
WORK = 80                                       # whole lines of a processor's cache

# ---- body integers
B_KIND, B_GROUP, B_MASK, B_ENABLED, B_NEAR, B_ADJ, B_NADJ, B_SEEN = 0, 1, 2, 3, 4, 5, 6, 7
# first shape and the one after the last
B_GEOM, B_GEOMS = 8, 9
# B_CLASS: bodies that are alike in `special`; B_SLOT: number of a dynamic body in the island in hand, -1 for
# others; in the model `penalty` its contact points
B_CLASS, B_SLOT = 10, 11
# B_CROWD: number of the step from which on its contacts are solved exactly again, after B_WAIT steps in the crowd
B_CROWD, B_WAIT = 12, 13
# B_USED: work units of its credit that are used up; B_PAID: number of the step in which that was last reckoned
B_USED, B_PAID = 14, 15
# first body of the cluster (see detect.clusters); of that one the number of its bodies, of contact pairs among
# them, and the work units that they have cost in this step
B_CLUSTER, B_MEMBERS, B_CLUSTER_PAIRS, B_SPENT = 16, 17, 21, 22
# B_SLEEP: 1 + the first body of the sleeping island, 0 awake.  B_STILL: number of the step since which it has been
# slow; B_LOOKED: 1 + that of the step in which that was last looked at
B_SLEEP, B_STILL, B_LOOKED = 18, 19, 20
# B_JOINT: 1 + twice the number of its first constraint, + 1 where it is that one's body b; 0 for none
B_JOINT = 23
BODY = 24
STATIC, KINEMATIC, DYNAMIC = 0, 1, 2
# B_NEAR: work row filled in this step; and member of a contact pair
GATHERED, IN_CONTACT = 1, 2

# ---- anchor: position at the last search for neighbours, skin; reach in this step, alone and when hit
A_X, A_SKIN, A_REACH, A_SPREAD = 0, 3, 4, 5
# radius (m) of the ball about the centre of mass that holds all its shapes
A_RADIUS = 6
# m: travel of its surface by rotation in this step; its reach when hit, one round before; least skin of the next list
A_TURN, A_ROUND, A_WANTED = 7, 8, 9
# the body whose hit gives it the reach that it has when hit, -1: none; its reach (m) when hit by others
A_BY, A_OTHERS = 10, 11
# the largest speed (m/s), rate (rad/s) and coordinate (m) that was cut since it was asked for, 0: none
A_CUT_V, A_CUT_W, A_CUT_X = 12, 13, 14
ANCHOR = 15

# ---- ball, by row of the grid: centre and radius (m) with skin.  cell, by row: body, level, 1 if it moves;
# C_HOME, by body: its bucket, -1 if it is in none
A_BALL = 0
BALL = 4
C_BODY, C_LEVEL, C_MOVER, C_HOME = 0, 1, 2, 3
CELL = 4

# ---- geom
# G_HALF: half sides of the box around the shape in its own frame
G_SIZE, G_X, G_Q, G_RADIUS, G_EXTENT, G_HALF = 0, 3, 6, 10, 11, 12
GEOM = 15
# GI_TYPE: see shapes.kinds
# GI_FIRST, GI_COUNT: vertices of a hull; of a mesh the first vertex of its triangles and their number
# GI_ROOT, GI_LEAVES: of a mesh, the row in `convex.vertex` of its tree (two corners a box) and the number of its
# leaves, a power of two
# GI_BESIDE, GI_BESIDES: first row in `beside` and number of the neighbours of a shape; GI_AXIS: that they are sorted by
(GI_TYPE, GI_BODY, GI_PART, GI_FIRST, GI_COUNT, GI_ROOT, GI_LEAVES, GI_BESIDE, GI_BESIDES,
 GI_AXIS) = range(10)
GEOM_I = 10
# triangles in a leaf of a mesh's tree; rows of `convex.vertex` per triangle: vertices, limits of its edges (rad), patch
# (first triangle, the one after its last, the one that gives its plane), unit normal
LEAF = 4
TRI_LIMITS, TRI_PATCH, TRI_NORMAL = 3, 4, 5
TRIANGLE_ROWS = 6

# ---- beside: a shape that touches another one and does not move against it; its pose (m, quaternion) in the frame of
# that, the least it reaches along the axis, and the most that this or an earlier one does (m)
K_SHAPE, K_X, K_Q, K_LOW, K_REACH = 0, 1, 4, 8, 9
BESIDE = 10

# ---- material: e, or a table of it from row S_TABLE of `curve` with S_POINTS points; mu; lengths (m) of rolling and
# torsional friction
S_E, S_TABLE, S_POINTS, S_MU, S_ROLL, S_TORSION = 0, 1, 2, 3, 4, 5
MATERIAL = 6

# ---- profile: an impact that is delivered over time.  Bodies, seconds since it at the start of the step, seconds that
# it takes; impulses (N s) and angular impulses (N m s, about their centres of mass) on a and b; shapes and patch of its
# contact pair, and the normal; world
Y_A, Y_B, Y_AGE, Y_TIME, Y_JA, Y_LA, Y_JB, Y_LB, Y_GA, Y_GB, Y_SUB, Y_N = 0, 1, 2, 3, 4, 7, 10, 13, 16, 17, 18, 19
PROFILE = 22
NO_PROFILE, RECTANGLE, HALF_SINE, HERTZ = 0, 1, 2, 3
# ---- pending: force (N) and torque (N m) of profiles for the rest of the step; what is left of them after it (N s, N m
# s); number of profiles
D_F, D_T, D_J, D_L, D_COUNT = 0, 3, 6, 9, 12
PENDING = 13

# ---- contact pair
# P_N: contact points; P_ROWS: rows of the manifold they come from; P_AHEAD: 1 where rows are those that may be reached
# in the step, not those that touch
# P_LATE: events in this step by further features of a pair that touches
P_GA, P_GB, P_A, P_B, P_N, P_TOUCH, P_HIT, P_SEEN, P_UNSOLVED, P_STOPS, P_SUB, P_ROWS, P_AHEAD, P_LATE = range(14)
PAIR_I = 14
PF_TOI, PF_SINCE, PF_SPAN = 0, 1, 2             # time of impact; start (s) and length (s) of the current resting solve
PF_REACH = 3                                    # m, within which surfaces can meet in this step
# least that the gap can be (m) at a time (s in the step), and the fastest that it can close from then on (m/s)
PF_CLEAR, PF_AT, PF_SPEED = 4, 5, 6
# normal of the least gap, a -> b, when rows were last sought: in the world, and in the frames of both bodies
PF_N, PF_NA, PF_NB = 7, 10, 13
# change of velocity (m/s) in a step by which surfaces that move together separate and touch, and gap (m) up to
# which they touch for it (see travel.frame_rate)
PF_CHANGE, PF_TOUCH = 16, 17
PF_RESIDUAL = 18                                # m/s, largest change in the last sweep of its crowd
PF_SLOP = 19                                    # m, overlap that its crowd leaves
PAIR_F = 20
POINTS = 4                                      # contact points per pair

# ---- contact point; contact frame (n, t1, t2), velocities are body b minus body a
R_X, R_N, R_T1, R_T2, R_GAP, R_RA, R_RB, R_K = 0, 3, 6, 9, 12, 13, 16, 19
R_MU, R_TIME, R_TARGET_SPEED, R_J, R_U0, R_RESTITUTION, R_FEATURE, R_DEPTH = 25, 26, 27, 28, 31, 34, 35, 36
R_WARM, R_WARM_M = 37, 40                       # warm start (N s, N m s), contact frame
# lengths (m) of rolling and torsional friction, and their angular impulse on b (N m s), contact frame.  R_TIME: s over
# which an impact is delivered, 0 at once
R_ROLL, R_TORSION, R_M = 43, 44, 45
R_TWIN = 48                                     # 1 for a row that does not act: another patch or tile has it too
# of an impact in several passes: 1 for a row that leaves a pass alone; sums of its impulses and angular impulses;
# velocity before; impulse and e' of its strongest pass
R_REST, R_SUM, R_SUM_M, R_FIRST, R_STRONGEST, R_E = 49, 50, 53, 56, 59, 60
# of an impact: kinetic energy (J) lost in its passes, in a column that only rests use; of a rest and in a crowd: rate
# of b minus a before (rad/s, contact frame), where there are moments
R_LOST, R_RATE = 62, 53
# the same columns in a crowd: one by its normal and tangential response, and that (1/kg)
R_SOFT, R_SOFT_T, R_ACROSS = 49, 59, 60
R_SLOP = 61                                     # m/s, approach that is no impact
R_START = 62                                    # point and normal at the start, of a row taken in mid-interval
# (J_mid - J_start) V_start (m/s, contact frame): what the way of the contact within the interval makes of its velocity.
# 0 where it is taken as at the start; and whether it is taken in mid-interval
R_BIAS, R_TURNED = 68, 71
ROW = 72

# ---- manifold scratch of the narrow phase
M_X, M_N, M_GAP, M_FEATURE = 0, 3, 6, 7
MANIFOLD = 8

# ---- last step's resting impulses (warm start): bodies, shapes, patch, point, force and moment in world (m, N, N m)
L_A, L_B, L_GA, L_GB, L_SUB, L_X, L_F, L_M = 0, 1, 2, 3, 4, 5, 8, 11
LAST = 14

# ---- cache: manifolds of crowds (see detect.manifold_cache): bodies and shapes, number of points, attitude of b in the
# frame of a; of every point its place in the frames of a and b (m), normal in that of a, gap (m), feature
X_KEY, X_COUNT, X_Q, X_POINT = 0, 4, 5, 9
X_POINTS = 11
CACHE = X_POINT + POINTS * X_POINTS

# ---- log row
O_A, O_B, O_PA, O_PB, O_FEATURE, O_STEP, O_IMPACT, O_TIME = 0, 1, 2, 3, 4, 5, 6, 7
O_X, O_N, O_DEPTH, O_P, O_U0, O_U1, O_E, O_MU, O_DWA, O_DWB = 8, 11, 14, 15, 18, 21, 24, 25, 26, 29
O_M, O_PEAK, O_DURATION, O_CROWD, O_RESIDUAL, O_LOST = 32, 35, 36, 37, 38, 39
OUT = 40

# ---- still: of what sleeps, pose (m, world; principal frame) and loads (N, N m).  E_SPEED: of a body of a crowd, speed
# of its surface before the last step (m/s)
E_X, E_Q, E_F, E_T, E_SPEED = 0, 3, 7, 10, 13
STILL = 14
# ---- rest: rows of what sleeps, of the log and of `last`: island, which of both, the row
Z_ISLAND, Z_KIND, Z_ROW = 0, 1, 2
Z_LOG, Z_FORCE = 0, 1
REST = Z_ROW + OUT

# ---- joint: anchors (m) and, of `fixed`, attitude of b in the frame of a, of `hinge`, its axis in both and a direction
# across it in a; body frames are principal axes about the centre of mass
JT_ANCHOR_A, JT_ANCHOR_B, JT_Q, JT_AXIS_A, JT_AXIS_B, JT_ACROSS = 0, 3, 6, 10, 13, 16
# length m; e of a cable; stiffness N/m and damping N s/m of a spring; limits N, N m, N, N s, inf for none
JT_LENGTH, JT_E, JT_STIFFNESS, JT_DAMPING, JT_MAX_F, JT_MAX_T, JT_BREAK_F, JT_BREAK_J = range(19, 27)
# start (s in the step) and span (s) of the interval in hand, time of taut; error (m or rad) to be left at its end
JT_START, JT_SPAN, JT_TOI, JT_GOAL = 27, 28, 29, 30
# impulses of its rows (N s, N m s) and velocities (m/s, rad/s) that they aim at
JT_P, JT_TARGET = 36, 42
# the same in the world over the interval: impulse on b, angular impulses about the centres of mass of a and b, per body
JT_FORCE_P, JT_TORQUE_A, JT_TORQUE_B = 48, 51, 54
# of the last step: impulse and angular impulse of its lasting load, and of its instants, on b at the anchor; world
JT_LOAD, JT_LOAD_T, JT_SNAP, JT_SNAP_T = 57, 60, 63, 66
# of an impact: gap rate before a pass (m/s) and e in it; sum of its impulses (N s, N m s, world)
JT_U0, JT_PASS_E, JT_SUM, JT_SUM_T = 69, 70, 71, 74
# moment of the torque rows over the interval (N m s, world), on b; work units that its island has cost in this step
JT_MOMENT, JT_SPENT = 77, 80
# force of the last interval (N); time at which its island's interval ends before the step does (s in the step)
JT_STRAIN, JT_RENEWAL = 81, 82
# what it gave in all steps of a call: impulse and angular impulse on b at the anchor; world
JT_TOTAL, JT_TOTAL_T = 83, 86
JOINT = 89
# JI_STATE: 0 free place, 1 in force.  JI_NEXT_A, JI_NEXT_B: as B_JOINT, the next of a and of b.  JI_TAUT: of a cable.
# JI_PART: takes part in a pass.  JI_SLIPS: bits, its linear and its angular limit are reached in the interval.
# JI_EVENTS: times of taut in this step.  JI_ACTED: it was active when the step began
(JI_KIND, JI_A, JI_B, JI_STATE, JI_NEXT_A, JI_NEXT_B, JI_STAMP, JI_TAUT, JI_PART, JI_SLIPS, JI_COLLIDE,
 JI_EVENTS, JI_ACTED) = range(13)
JOINT_I = 13
FIXED, SOCKET, HINGE, DISTANCE, CABLE, SPRING = range(6)
SLIPS, TURNS = 1, 2
NEVER = float('inf')
# ---- joint log: constraint, step, time (s in the step), what happened, force (N) or impulse (N s) on b, world
JL_JOINT, JL_STEP, JL_TIME, JL_PHASE, JL_F = 0, 1, 2, 3, 4
JOINT_LOG = 7
TAUT, SLACK, BROKEN_BY_FORCE, BROKEN_BY_IMPULSE = 0, 1, 2, 3

# ---- counters (int64) and parameters (float64)
(N_PAIRS, N_CONTACT_PAIRS, N_LAST, N_OUT, N_IMPACTS, N_CAPPED, N_SWEEPS, N_REBUILDS, N_EVENTS, N_STAMP, N_STEPS,
 N_UNSOLVED, N_LOWERED, N_STALE_LIST, N_LOST, N_BAD, N_PUSHED, N_PROFILES, N_SWEPT, N_CLOSE, N_FIRST, N_LIMITED,
 N_WORK, N_BUDGET, N_CROWDS, N_AHEAD, N_CROWDED, N_ASLEEP, N_REST, N_CHANGED,
 N_CACHED, N_CACHE_NEXT, N_CACHING, N_WOKEN) = range(34)
# why an island woke: N_WOKEN + reason counts them
BY_CONTACT, BY_LOAD, BY_STATE, BY_PARAMETER = 0, 1, 2, 3
# constraints in force, those of the island in hand, rows of their log
N_JOINTS, N_ISLAND_JOINTS, N_JOINT_ROWS = 37, 38, 39
COUNTERS = 40
# settings, then results and scratch
(F_H, F_GX, F_GY, F_GZ, F_THRESHOLD, F_SCHEME, F_STORAGE, F_SOLVER, F_COMBINE_E, F_COMBINE_MU, F_PROFILE,
 F_CONTACT_TIME, F_STIFFNESS, F_PENALTY, F_MAX_V, F_MAX_W, F_SLEEP, F_RESIDUAL, F_RECOVERED, F_CAP, F_CHANGE,
 F_RECOVERY_WORK, F_CONTACT_WORK, F_GIVEN, F_OVERLOADED, F_STRAYED, F_FAR, F_CROWD_RESIDUAL, F_CROWD_CAP,
 F_RECOVERY_SPIN) = range(30)
PARAMETERS = 32     # the last has three components

# ---- parts of a step: all of it, or what comes before and after the passes that threads share
WHOLE, BEFORE_FLIGHT, AFTER_FLIGHT = 0, 1, 2
# ---- results of a step
OK, GROW_PAIRS, GROW_CONTACT_PAIRS, GROW_OUT, BAD_FORCE, GROW_PROFILES, BAD_STATE, GROW_JOINT_LOG = range(8)
