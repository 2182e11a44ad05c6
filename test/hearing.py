"""An Intake over a small scene, without ROS: settings with the defaults of the node's parameters."""

from __future__ import annotations

from scene_worlds import make_config

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.intake.intake import Intake
from hakoniwa_rigid.scene.intake.settings import Settings, topic_token

NODE = {'world_frame': 'world', 'accepted_frames': ['world', 'map', 'odom'], 'frame_yaw': 0.0, 'tf_timeout': 0.2,
        'per_drone_topics': True, 'stamp': 'header'}
DRONE = {'source': 'odom', 'stamp': '', 'frame': '', 'topic_odom': '{}/odom', 'topic_pose': '{}/pose',
         'topic_twist': '{}/twist', 'topic_wrench': '{}/wrench', 'topic_motor_speed': '', 'tf_frame': '',
         'body_frame': '{}/base_link'}
HAND = {'type': 'hand_joints', 'topic': 'hands/{}', 'stamp': '', 'frame': '', 'axes': 'ros', 'radius': 0.0}


def _values(defaults: dict, name: str, given: dict) -> dict:
    named = {key: v.format(topic_token(name)) if isinstance(v, str) else v for key, v in defaults.items()}
    return {**named, **given}


def make_settings(*drones, drone=None, node=None, fixed=None, hands=(), **fields) -> Settings:
    """Of a world of make_config; drone: {name: values that differ}; node: values that differ; fixed: frames."""
    world = make_config(*drones, hands=hands, **fields)
    served = {d.name: _values(DRONE, d.name, (drone or {}).get(d.name, {})) for d in world.drones}
    return Settings({**NODE, **(node or {})}, served, {h: _values(HAND, h, {}) for h in hands}, world, fixed or {})


def make_intake(settings: Settings, kind: type[Intake] = Intake, readers=None, ask_tf=lambda: 'no /tf here',
                warn=lambda text: None) -> Intake:
    """An intake of a scene of its own, which is at time 0; readers: those of whole messages, by type."""
    scene = CollisionScene.from_config(settings.world)
    scene.advance(0)
    return kind(scene, settings, (readers or {}).get, ask_tf, warn)
