# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Records: what kernels call the columns of the arrays; `layout` says what each of them means, with its unit."""
from ..maths.record import Record
from . import layout as L

CONTACT_POINT = Record(
    'ContactPoint', position=(L.R_X, 3), normal=(L.R_N, 3), tangent_1=(L.R_T1, 3), tangent_2=(L.R_T2, 3),
    gap=(L.R_GAP, 1), arm_a=(L.R_RA, 3), arm_b=(L.R_RB, 3), inverse_mass=(L.R_K, 6), normal_inverse_mass=(L.R_K, 1),
    friction=(L.R_MU, 1), duration=(L.R_TIME, 1), target_velocity=(L.R_TARGET_SPEED, 1), impulse=(L.R_J, 3),
    normal_impulse=(L.R_J, 1), velocity_before=(L.R_U0, 3), normal_velocity_before=(L.R_U0, 1),
    restitution=(L.R_RESTITUTION, 1), feature=(L.R_FEATURE, 1), depth=(L.R_DEPTH, 1), warm_start_impulse=(L.R_WARM, 3),
    warm_start_normal_impulse=(L.R_WARM, 1), warm_start_moment=(L.R_WARM_M, 3), rolling_length=(L.R_ROLL, 1),
    torsion_length=(L.R_TORSION, 1), moment=(L.R_M, 3), is_twin=(L.R_TWIN, 1), is_left_out=(L.R_REST, 1),
    impulse_sum=(L.R_SUM, 3), normal_impulse_sum=(L.R_SUM, 1), moment_sum=(L.R_SUM_M, 3),
    first_velocity=(L.R_FIRST, 3), first_normal_velocity=(L.R_FIRST, 1), strongest_impulse=(L.R_STRONGEST, 1),
    strongest_restitution=(L.R_E, 1), normal_mass=(L.R_SOFT, 1), tangent_mass=(L.R_SOFT_T, 1),
    tangent_inverse_mass=(L.R_ACROSS, 1), velocity_slop=(L.R_SLOP, 1), start_position=(L.R_START, 3),
    velocity_bias=(L.R_BIAS, 3), normal_velocity_bias=(L.R_BIAS, 1), is_midway=(L.R_TURNED, 1),
    energy_lost=(L.R_LOST, 1), rate_before=(L.R_RATE, 3))
SOLVER_BODY = Record(
    'SolverBody', position=(L.W_X, 3), attitude=(L.W_Q, 4), velocity=(L.W_V, 3), angular_velocity=(L.W_W, 3),
    inverse_mass=(L.W_IM, 1), inverse_moments=(L.W_J, 3), euler_coefficients=(L.W_C, 3), inverse_inertia=(L.W_IW, 6),
    acceleration=(L.W_A, 3), torque=(L.W_T, 3), predicted_velocity=(L.W_V1, 3),
    predicted_angular_velocity=(L.W_W1, 3), external_acceleration=(L.W_EXT_A, 3), external_torque=(L.W_EXT_T, 3),
    time=(L.W_TIME, 1), impacts=(L.W_HITS, 1), shift=(L.W_DX, 3), turn=(L.W_DR, 3),
    integrator=(L.W_SCHEME, 1), inertia_storage=(L.W_STORAGE, 1), inertia_tensor=(L.W_TENSOR, 6),
    kept_velocity=(L.W_KEPT, 3), stirred_in=(L.W_STIR, 1), velocity_to_restore=(L.W_BACK, 3), is_done=(L.W_DONE, 1))
BODY_FLAGS = Record(
    'BodyFlags', kind=(L.B_KIND, 1), group=(L.B_GROUP, 1), mask=(L.B_MASK, 1), enabled=(L.B_ENABLED, 1),
    near=(L.B_NEAR, 1), first_adjacent=(L.B_ADJ, 1), adjacent_count=(L.B_NADJ, 1), stamp=(L.B_SEEN, 1),
    first_shape=(L.B_GEOM, 1), end_shape=(L.B_GEOMS, 1), material_class=(L.B_CLASS, 1), slot=(L.B_SLOT, 1),
    crowd_until=(L.B_CROWD, 1), crowd_wait=(L.B_WAIT, 1), credit_used=(L.B_USED, 1), credit_step=(L.B_PAID, 1),
    cluster=(L.B_CLUSTER, 1), cluster_bodies=(L.B_MEMBERS, 1), cluster_pairs=(L.B_CLUSTER_PAIRS, 1),
    work_spent=(L.B_SPENT, 1), sleeping_island=(L.B_SLEEP, 1), still_since=(L.B_STILL, 1), looked_at=(L.B_LOOKED, 1),
    first_joint=(L.B_JOINT, 1))
PAIR_FLAGS = Record(
    'PairFlags', shape_a=(L.P_GA, 1), shape_b=(L.P_GB, 1), body_a=(L.P_A, 1), body_b=(L.P_B, 1),
    point_count=(L.P_N, 1), touches=(L.P_TOUCH, 1), is_hit=(L.P_HIT, 1), stamp=(L.P_SEEN, 1),
    unsolved=(L.P_UNSOLVED, 1), stops=(L.P_STOPS, 1), patch=(L.P_SUB, 1), manifold_count=(L.P_ROWS, 1),
    looks_ahead=(L.P_AHEAD, 1), late_events=(L.P_LATE, 1))
PAIR_MOTION = Record(
    'PairMotion', time_of_impact=(L.PF_TOI, 1), rest_start=(L.PF_SINCE, 1), rest_span=(L.PF_SPAN, 1),
    reach=(L.PF_REACH, 1), least_gap=(L.PF_CLEAR, 1), least_gap_time=(L.PF_AT, 1), closing_speed=(L.PF_SPEED, 1),
    normal=(L.PF_N, 3), normal_in_a=(L.PF_NA, 3), normal_in_b=(L.PF_NB, 3), velocity_change=(L.PF_CHANGE, 1),
    touch_gap=(L.PF_TOUCH, 1), residual=(L.PF_RESIDUAL, 1), overlap_slop=(L.PF_SLOP, 1))
BODY_BOUNDS = Record(
    'BodyBounds', position=(L.A_X, 3), skin=(L.A_SKIN, 1), reach=(L.A_REACH, 1), reach_when_hit=(L.A_SPREAD, 1),
    radius=(L.A_RADIUS, 1), turn_reach=(L.A_TURN, 1), round_reach=(L.A_ROUND, 1), wanted_skin=(L.A_WANTED, 1),
    hit_by=(L.A_BY, 1), reach_by_others=(L.A_OTHERS, 1), top_speed=(L.A_CUT_V, 1))
SHAPE = Record(
    'ShapeOfBody', dimensions=(L.G_SIZE, 3), position=(L.G_X, 3), attitude=(L.G_Q, 4), radius=(L.G_RADIUS, 1),
    extent=(L.G_EXTENT, 1), half_sides=(L.G_HALF, 3))
SHAPE_TABLES = Record(
    'ShapeTables', kind=(L.GI_TYPE, 1), body=(L.GI_BODY, 1), part=(L.GI_PART, 1), first_vertex=(L.GI_FIRST, 1),
    vertex_count=(L.GI_COUNT, 1), tree_root=(L.GI_ROOT, 1), tree_leaves=(L.GI_LEAVES, 1),
    first_neighbour=(L.GI_BESIDE, 1), neighbour_count=(L.GI_BESIDES, 1), neighbour_axis=(L.GI_AXIS, 1))
PROFILE = Record(
    'Profile', body_a=(L.Y_A, 1), body_b=(L.Y_B, 1), age=(L.Y_AGE, 1), duration=(L.Y_TIME, 1), impulse_a=(L.Y_JA, 3),
    angular_impulse_a=(L.Y_LA, 3), impulse_b=(L.Y_JB, 3), angular_impulse_b=(L.Y_LB, 3), shape_a=(L.Y_GA, 1),
    shape_b=(L.Y_GB, 1), patch=(L.Y_SUB, 1), normal=(L.Y_N, 3))
PENDING = Record(
    'Pending', force=(L.D_F, 3), torque=(L.D_T, 3), impulse=(L.D_J, 3), angular_impulse=(L.D_L, 3),
    profile_count=(L.D_COUNT, 1))
KEPT_MANIFOLD = Record('KeptManifold', point_count=(L.X_COUNT, 1), attitude=(L.X_Q, 4))
SLEEPER = Record(
    'Sleeper', position=(L.E_X, 3), attitude=(L.E_Q, 4), force=(L.E_F, 3), torque=(L.E_T, 3),
    surface_speed=(L.E_SPEED, 1))
LOG_ROW = Record(
    'LogRow', body_a=(L.O_A, 1), body_b=(L.O_B, 1), part_a=(L.O_PA, 1), part_b=(L.O_PB, 1), feature=(L.O_FEATURE, 1),
    step=(L.O_STEP, 1), is_impact=(L.O_IMPACT, 1), time=(L.O_TIME, 1), position=(L.O_X, 3), normal=(L.O_N, 3),
    depth=(L.O_DEPTH, 1), impulse=(L.O_P, 3), velocity_before=(L.O_U0, 3), velocity_after=(L.O_U1, 3),
    restitution=(L.O_E, 1), friction=(L.O_MU, 1), delta_omega_a=(L.O_DWA, 3), delta_omega_b=(L.O_DWB, 3),
    moment=(L.O_M, 3), peak_force=(L.O_PEAK, 1), duration=(L.O_DURATION, 1), is_crowd=(L.O_CROWD, 1),
    residual=(L.O_RESIDUAL, 1), energy_lost=(L.O_LOST, 1))
COUNTERS = Record(
    'Counters', candidate_pairs=(L.N_PAIRS, 1), contact_pairs=(L.N_CONTACT_PAIRS, 1), last_forces=(L.N_LAST, 1),
    log_rows=(L.N_OUT, 1), impacts=(L.N_IMPACTS, 1), impacts_capped=(L.N_CAPPED, 1), sweeps=(L.N_SWEEPS, 1),
    list_rebuilds=(L.N_REBUILDS, 1), impact_events=(L.N_EVENTS, 1), stamp=(L.N_STAMP, 1), steps=(L.N_STEPS, 1),
    unsolved=(L.N_UNSOLVED, 1), restitution_lowered=(L.N_LOWERED, 1), list_is_stale=(L.N_STALE_LIST, 1),
    lost_log_rows=(L.N_LOST, 1), bad_body=(L.N_BAD, 1), pushes=(L.N_PUSHED, 1), profiles=(L.N_PROFILES, 1),
    sweeps_before=(L.N_SWEPT, 1), close_bodies=(L.N_CLOSE, 1), first_step=(L.N_FIRST, 1), limited=(L.N_LIMITED, 1),
    work=(L.N_WORK, 1), work_limit=(L.N_BUDGET, 1), crowds=(L.N_CROWDS, 1), looks_ahead=(L.N_AHEAD, 1),
    crowded_until=(L.N_CROWDED, 1), asleep=(L.N_ASLEEP, 1), rest_rows=(L.N_REST, 1), changed=(L.N_CHANGED, 1),
    cached=(L.N_CACHED, 1), next_cached=(L.N_CACHE_NEXT, 1), caching=(L.N_CACHING, 1), joints=(L.N_JOINTS, 1),
    island_joints=(L.N_ISLAND_JOINTS, 1), joint_rows=(L.N_JOINT_ROWS, 1))
SETTINGS = Record(
    'Settings', dt=(L.F_H, 1), gravity=(L.F_GX, 3), restitution_threshold=(L.F_THRESHOLD, 1),
    integrator=(L.F_SCHEME, 1), inertia_storage=(L.F_STORAGE, 1), solver=(L.F_SOLVER, 1),
    combine_restitution=(L.F_COMBINE_E, 1), combine_friction=(L.F_COMBINE_MU, 1), contact_profile=(L.F_PROFILE, 1),
    contact_time=(L.F_CONTACT_TIME, 1), contact_stiffness=(L.F_STIFFNESS, 1), penalty_stiffness=(L.F_PENALTY, 1),
    max_speed=(L.F_MAX_V, 1), max_angular_speed=(L.F_MAX_W, 1), sleep=(L.F_SLEEP, 1), residual=(L.F_RESIDUAL, 1),
    recovered=(L.F_RECOVERED, 1), impulse_cap=(L.F_CAP, 1), last_residual=(L.F_CHANGE, 1),
    recovery_work=(L.F_RECOVERY_WORK, 1), contact_work=(L.F_CONTACT_WORK, 1), energy_given=(L.F_GIVEN, 1),
    overloaded=(L.F_OVERLOADED, 1), strayed=(L.F_STRAYED, 1), farthest_reach=(L.F_FAR, 1),
    crowd_residual=(L.F_CROWD_RESIDUAL, 1), crowd_impulse_cap=(L.F_CROWD_CAP, 1),
    recovery_angular_momentum=(L.F_RECOVERY_SPIN, 3))
JOINT = Record(
    'Joint', anchor_a=(L.JT_ANCHOR_A, 3), anchor_b=(L.JT_ANCHOR_B, 3), relative_attitude=(L.JT_Q, 4),
    axis_a=(L.JT_AXIS_A, 3), axis_b=(L.JT_AXIS_B, 3), across=(L.JT_ACROSS, 3), length=(L.JT_LENGTH, 1),
    restitution=(L.JT_E, 1), stiffness=(L.JT_STIFFNESS, 1), damping=(L.JT_DAMPING, 1), max_force=(L.JT_MAX_F, 1),
    max_torque=(L.JT_MAX_T, 1), break_force=(L.JT_BREAK_F, 1), break_impulse=(L.JT_BREAK_J, 1), start=(L.JT_START, 1),
    span=(L.JT_SPAN, 1), time_of_taut=(L.JT_TOI, 1), linear_impulse=(L.JT_FORCE_P, 3),
    angular_impulse_a=(L.JT_TORQUE_A, 3), angular_impulse_b=(L.JT_TORQUE_B, 3), load=(L.JT_LOAD, 3),
    load_moment=(L.JT_LOAD_T, 3), snap=(L.JT_SNAP, 3), snap_moment=(L.JT_SNAP_T, 3), rate_before=(L.JT_U0, 1),
    pass_restitution=(L.JT_PASS_E, 1), impulse_sum=(L.JT_SUM, 3), moment_sum=(L.JT_SUM_T, 3),
    moment=(L.JT_MOMENT, 3), work_spent=(L.JT_SPENT, 1), strain=(L.JT_STRAIN, 1), renewal=(L.JT_RENEWAL, 1),
    total=(L.JT_TOTAL, 3), total_moment=(L.JT_TOTAL_T, 3))
JOINT_FLAGS = Record(
    'JointFlags', kind=(L.JI_KIND, 1), body_a=(L.JI_A, 1), body_b=(L.JI_B, 1), in_force=(L.JI_STATE, 1),
    next_a=(L.JI_NEXT_A, 1), next_b=(L.JI_NEXT_B, 1), stamp=(L.JI_STAMP, 1), is_taut=(L.JI_TAUT, 1),
    takes_part=(L.JI_PART, 1), slips=(L.JI_SLIPS, 1), collides=(L.JI_COLLIDE, 1), events=(L.JI_EVENTS, 1),
    acted=(L.JI_ACTED, 1))
