# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The scene: drones, walls, objects, hands, authority and events on top of the engine.  ROS-free: the node and the
replay tool drive the same CollisionScene.  No ROS, no wall clock, no threads here.

Rooms: drones, observed_drones, hands, events, sensing, inputs, frames, parameters, entities, world_files, offline;
beside them what drives them all (`collision_scene`), its bodies in the engine, and what happens where the engine
refuses (`containment`).
"""
from ..on_demand import names_on_demand

__all__ = ['CollisionScene', 'ConstraintError', 'ConstraintEventRecord', 'ConstraintKind', 'ConstraintLoads',
           'ConstraintPhase', 'ContactEventRecord', 'EntityError', 'EntityMotion', 'FleetArrays', 'HandBones',
           'HandBox', 'ImpactRecord', 'ImuRecord', 'Kind', 'Phase', 'Proximity', 'RotorStop', 'SceneParams',
           'SpawnError', 'Tick', 'Touch', 'Verdict', 'WorldConfig', 'WorldFileError', 'warmup']
__getattr__, __dir__ = names_on_demand(__name__, {
    'collision_scene': 'CollisionScene',
    'errors': 'ConstraintError EntityError SpawnError WorldFileError',
    'records': 'ConstraintEventRecord ConstraintKind ConstraintLoads ConstraintPhase ContactEventRecord FleetArrays '
               'HandBones HandBox ImpactRecord ImuRecord Kind Phase Proximity RotorStop Tick Touch Verdict',
    'state_setting': 'EntityMotion',
    'warm': 'warmup',
    'world_files.world_types': 'SceneParams WorldConfig',
})
