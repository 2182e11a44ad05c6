# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rotors that are hit: named in events, and stopped by rule; saved, replayed and reset like all else."""
from dataclasses import replace

import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose
from scene_worlds import TICK, UPRIGHT, ZERO, make_config

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene, Phase, WorldFileError
from hakoniwa_rigid.scene.errors import StateError
from hakoniwa_rigid.scene.world_files import world_file, world_writer
from hakoniwa_rigid.scene.world_files.rotor_parts import is_rotor, rotor_of_parts, without_disc
from hakoniwa_rigid.scene.world_files.shape_words import box_around
from hakoniwa_rigid.scene.world_files.world_types import (
    DroneConfig,
    MaterialConfig,
    Pose,
    SpareConfig,
    WallConfig,
)
from hakoniwa_rigid.scene.world_files.yaml_node import Node

G = 9.80665
VARIANTS = ('crazyflie', 'hummingbird')


def load(name):
    return world_file.load_drone_model(config_file('drones', f'{name}.yaml'))


@pytest.mark.parametrize('name', VARIANTS)
def test_a_variant_is_the_model_with_discs(name):
    base, variant = load(name), load(f'{name}_rotors')
    for field in ('mass', 'inertia', 'com', 'rotors', 'drag', 'material'):
        assert getattr(base, field) == getattr(variant, field), field
    assert rotor_of_parts(base) == (-1,) and rotor_of_parts(variant) == (-1, 0, 1, 2, 3)
    (low, high), (least, most) = box_around(base.shape), box_around(variant.shape)
    assert_allclose((low[2], high[2]), (least[2], most[2]), atol=1e-12)
    for part, rotor in zip(variant.shape.parts[1:], variant.rotors, strict=True):
        assert part.pos[:2] == rotor.position[:2]


def test_discs_of_other_names_are_found_by_their_places():
    assert rotor_of_parts(load('x500')) == (-1, 0, 1, 2, 3, -1, -1, -1, -1)
    assert without_disc(load('x500')) == [] and without_disc(load('api-1')) == [0, 1, 2, 3]
    assert rotor_of_parts(load('mujoco'))[:3] == (-1, -1, -1)      # no rotor table
    assert is_rotor('rotor_front_left') and is_rotor('rotor_3/blade') and not is_rotor('arm_rotor_3')


def block(x, y):
    """A block of wood over a rotor, 1 cm above a drone that hovers at 1 m."""
    return WallConfig('block', Box((0.05, 0.05, 0.1)), Pose((x, y, 1.0 + 0.0425 + 0.01 + 0.05)),
                      MaterialConfig('wood', 0.5, 0.0))


def flown(stop_above, speed=0.5, rotor=2, ticks=40, authority='simulate', scene=None, first=0):
    """A hummingbird rises at a speed under a block, its rotors at hover; scene, ticks, hashes."""
    model = load('hummingbird_rotors')
    hover = np.full(4, np.sqrt(model.mass * G / 4.0 / model.rotors[0].thrust_coefficient))
    if scene is None:
        model = replace(model, stop_above=stop_above)
        x, y, _ = model.rotors[rotor].position
        drone = DroneConfig('d', model, authority=authority)
        scene = CollisionScene.from_config(make_config(drone, walls=[block(x, y)], gravity=(0.0, 0.0, -G)))
        scene.advance(0)
        scene.watch_imus({'d': ZERO})
        scene.feed_drone('d', 0, (0.0, 0.0, 1.0), UPRIGHT, (0.0, 0.0, speed), ZERO)
    done, hashes = [], []
    for k in range(first, ticks):
        scene.feed_motor_speeds('d', k * TICK, hover)
        done.append(scene.advance((k + 1) * TICK))
        hashes.append(scene.state_hash())
    return scene, done, hashes


@pytest.mark.parametrize('rotor', [0, 2, 3])
def test_the_event_names_the_rotor_and_the_rule_stops_it(rotor):
    scene, ticks, _ = flown(0.01, rotor=rotor)
    begin = next(e for tick in ticks for e in tick.events if e.phase is Phase.BEGIN)
    assert (begin.body_b, begin.part_b) == ('d', f'rotor_{rotor}')
    (stop,) = [stop for tick in ticks for stop in tick.rotor_stops]
    assert (stop.drone, stop.rotor, stop.part) == ('d', rotor, f'rotor_{rotor}')
    assert stop.impulse == pytest.approx(-begin.impulse[2], rel=1e-12)
    hit = next(k for k, tick in enumerate(ticks) if tick.rotor_stops)
    # three rotors of four from the next tick on
    z = [tick.imus[0].linear_acceleration[2] for tick in ticks]
    assert_allclose(z[1:hit], G, rtol=1e-9)
    free = [k for k in range(hit + 1, len(ticks)) if not any(ticks[k].imus[0].contact)]
    assert free
    # the mean of a tick in the axes at its end: 1 - cos of half its turn
    turn = max(np.linalg.norm(tick.imus[0].angular_velocity) for tick in ticks) * 2.5e-3
    assert_allclose([z[k] for k in free], 0.75 * G, rtol=0.5 * turn * turn)
    assert scene.counters['rotor_stopped', 'd'] == 1
    assert f'rotor_{rotor}' in scene.last_rejected['rotor_stopped', 'd']


def test_weaker_hits_and_other_authorities_stop_nothing():
    _, ticks, _ = flown(1.0)
    assert any(tick.events for tick in ticks) and not any(tick.rotor_stops for tick in ticks)
    _, ticks, _ = flown(None)
    assert any(tick.events for tick in ticks) and not any(tick.rotor_stops for tick in ticks)
    scene, ticks, _ = flown(0.01, authority='correct')
    assert not any(tick.rotor_stops for tick in ticks) and ('rotor_stopped', 'd') not in scene.counters


def test_a_drone_that_lies_on_its_rotors_does_not_stop_them():
    """Upside down on a floor: in each second the weight gives m g, 5 N s, in all; the rule is 1 N s."""
    model = replace(load('hummingbird_rotors'), stop_above=1.0)
    scene = CollisionScene.from_config(make_config(DroneConfig('d', model, authority='simulate'),
                                                   walls=[WallConfig('floor')], gravity=(0.0, 0.0, -G)))
    scene.advance(0)
    scene.feed_drone('d', 0, (0.0, 0.0, 0.0425), (1.0, 0.0, 0.0, 0.0), ZERO, ZERO)
    for k in range(400):
        scene.feed_motor_speeds('d', k * TICK, np.zeros(4))
        tick = scene.advance((k + 1) * TICK)
        assert not tick.rotor_stops
    assert tick.states.flags[0] & 1


def test_a_stop_is_state_saved_replayed_and_cleared():
    scene, ticks, hashes = flown(0.01)
    hit = next(k for k, tick in enumerate(ticks) if tick.rotor_stops)
    assert flown(0.01)[2] == hashes
    assert flown(None)[2][:hit] == hashes[:hit] and flown(None)[2][hit] != hashes[hit]
    # saved after the hit, and gone on from in another scene
    other, _, _ = flown(0.01, ticks=hit + 3)
    saved = other.saved()
    assert saved.values['stopped_rotors'] == [[0, 2]]
    assert 'stopped_rotors' not in flown(None)[0].saved().values
    fresh, _, _ = flown(0.01, ticks=0)
    fresh.restore(saved)
    assert flown(0.01, scene=fresh, first=hit + 3)[2] == hashes[hit + 3:]
    scene.reset()
    assert 'stopped_rotors' not in scene.saved().values


MODEL = {'mass': 1.0, 'inertia': [0.01, 0.01, 0.01], 'rotors': [
    {'position': [0.1 * x, 0.0, 0.0], 'thrust_coefficient': 1e-5} for x in (1, -1)],
    'shape': {'type': 'compound', 'parts': [{'type': 'sphere', 'radius': 0.05}] + [
        {'name': f'rotor_{k}', 'type': 'cylinder', 'radius': 0.04, 'height': 0.01, 'position': [0.1 * x, 0, 0.05]}
        for k, x in enumerate((1, -1))]}}


def world(model=None, **drone):
    return world_file.parse(Node({'models': {'m': MODEL | (model or {})},
                                  'drones': [{'name': 'd', 'model': 'm', **drone}]}, 'w.yaml', ''))


def test_world_files_have_the_rule_for_a_model_or_a_drone():
    assert world().drones[0].model.stop_above is None
    assert world({'rotor_strike': {'stop_above': 0.2}}).drones[0].model.stop_above == 0.2
    both = world({'rotor_strike': {'stop_above': 0.2}}, rotor_strike={'stop_above': 3})
    assert both.drones[0].model.stop_above == 3.0
    again = world_file.parse(Node(yaml.safe_load(world_writer.write(both)), 'w.yaml', ''))
    assert again == both


@pytest.mark.parametrize(('model', 'drone', 'what'), [
    ({}, {'rotor_strike': {'stop_above': 0}}, 'drones[0].rotor_strike.stop_above: must be > 0, got 0'),
    ({}, {'rotor_strike': {'stop': 1}}, 'drones[0].rotor_strike.stop_above: is missing'),
    ({}, {'rotor_strike': {'stop_above': 1, 'x': 1}}, 'drones[0].rotor_strike.x: unknown key'),
    ({'rotors': []}, {'rotor_strike': {'stop_above': 1}}, 'drones[0].rotor_strike: needs rotors, the model m has none'),
    ({'shape': {'type': 'sphere', 'radius': 0.1}}, {'rotor_strike': {'stop_above': 1}}, 'none for rotors [0, 1]'),
    ({'rotor_strike': {'stop_above': float('nan')}}, {}, 'models.m.rotor_strike.stop_above: must be finite'),
    ({'rotor_strike': 3}, {}, 'models.m.rotor_strike: must be a mapping of keys, got 3'),
])
def test_wrong_rules_are_told(model, drone, what):
    with pytest.raises(WorldFileError) as error:
        world(model, **drone)
    assert what in str(error.value)


@pytest.mark.parametrize('pairs', [[[0, 9]], [[5, 0]], [[-1, 0]], [['a', 0]], [3], 7])
def test_a_state_with_rotors_that_are_not_there_is_refused(pairs):
    scene, _, _ = flown(0.01, ticks=5)
    saved = scene.saved()
    saved.values['stopped_rotors'] = pairs
    with pytest.raises(StateError):
        scene.restore(saved)


def test_drones_that_come_bring_their_rule():
    config = replace(make_config(walls=[block(*load('hummingbird_rotors').rotors[1].position[:2])],
                                 gravity=(0.0, 0.0, -G)), spare=SpareConfig(drones=1))
    scene = CollisionScene.from_config(config)
    scene.advance(0)
    scene.add_drone('n', 'hummingbird_rotors', authority='simulate', rotor_strike={'stop_above': 0.01})
    scene.feed_drone('n', 0, (0.0, 0.0, 1.0), UPRIGHT, (0.0, 0.0, 0.5), ZERO)
    stops = []
    for k in range(30):
        scene.feed_motor_speeds('n', k * TICK, np.zeros(4))
        stops += scene.advance((k + 1) * TICK).rotor_stops
    assert [(stop.drone, stop.rotor) for stop in stops] == [('n', 1)]
    scene.remove('n')
    assert not scene._strikes.is_used
