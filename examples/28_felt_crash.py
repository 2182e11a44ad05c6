# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A quadrotor flies into a post with a rotor, which stops.  One controller is deaf, the other hears its IMU and cuts
the motors when it feels the crash.  With --out PNG it draws what the two IMUs measure."""
import argparse
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene, Phase, WorldConfig
from hakoniwa_rigid.scene.world_files.world_file import load_drone_model
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, Pose, WallConfig

TICK_NS, G = 5_000_000, 9.80665     # 200 Hz
CRASH = 4.0 * G                     # m/s^2: no flight of this drone gives so much
START, GOAL = (-1.2, 0.0, 1.0), (1.5, 0.0, 1.0)
POST = WallConfig('post', Box((0.1, 0.1, 3.0)), Pose((0.0, 0.22, 1.5)))


def rotor_speeds(model, states, goal):
    """A controller of position and attitude (errors bounded), to rad/s of each rotor."""
    turn, x, v = (Rotation.from_quat(states.orientations_xyzw[0]), states.positions[0], states.linear_velocities[0])
    pull = np.clip(2.0 * (np.asarray(goal) - x), -1.5, 1.5) - 2.5 * v + (0.0, 0.0, G)
    lean = np.cross((0.0, 0.0, 1.0), turn.inv().apply(pull / np.linalg.norm(pull)))
    twist = np.array(model.inertia) * (100.0 * lean - 20.0 * states.angular_velocities[0])
    thrust = model.mass * max(pull @ turn.apply((0.0, 0.0, 1.0)), 0.0)
    spin = [(1 if r.spin == 'cw' else -1) * r.torque_coefficient / r.thrust_coefficient for r in model.rotors]
    rows = [(1.0, r.position[1], -r.position[0], yaw) for r, yaw in zip(model.rotors, spin, strict=True)]
    forces = np.linalg.solve(np.array(rows).T, (thrust, *twist))
    return np.sqrt(np.clip(forces / [r.thrust_coefficient for r in model.rotors], 0.0, 1500.0 ** 2))


def fly(hears):
    """Four seconds of one controller; time, specific force of every tick."""
    model = load_drone_model(config_file('drones', 'hummingbird_rotors.yaml'))
    drone = DroneConfig('d', replace(model, stop_above=0.05), Pose(START), 'simulate')    # N s
    scene = CollisionScene.from_config(WorldConfig(drones=(drone,), walls=(WallConfig('floor'), POST)))
    scene.watch_imus({'d': (0.0, 0.0, 0.0)})
    scene.feed_drone('d', 0, START, (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
    tick, on, rows, hit = scene.advance(0), True, [], False
    for stamp in range(0, 4_000_000_000, TICK_NS):
        scene.feed_motor_speeds('d', stamp, rotor_speeds(model, tick.states, GOAL) if on else np.zeros(4))
        tick = scene.advance(stamp + TICK_NS)
        imu, now = tick.imus[0], 1e-9 * tick.stamp_ns
        force = np.array(imu.linear_acceleration)
        rows.append((now, np.linalg.norm(force)))
        for event in tick.events:
            if event.phase is Phase.BEGIN and 'post' in (event.body_a, event.body_b) and not hit:
                hit, felt = True, Rotation.from_quat(imu.orientation_xyzw).apply(imu.contact) * imu.seconds
                print(f'{now:5.2f} s  {event.part_a} meets {event.body_b}: dv {np.round(event.delta_v_a, 3)} m/s, '
                      f'felt {np.round(felt, 3)} m/s, {rows[-1][1] / G:.1f} g')
        for stop in tick.rotor_stops:
            print(f'{now:5.2f} s  {stop.part} stops: {stop.impulse:.3f} N s')
        if hears and on and rows[-1][1] > CRASH:
            on = False
            print(f'{now:5.2f} s  the controller feels {rows[-1][1] / G:.1f} g and cuts the motors')
    print(f'{now:5.2f} s  {"hears" if hears else "deaf"}: it lies, and its IMU reads {rows[-1][1]:.2f} m/s^2')
    return np.array(rows)


def draw(deaf, hears, out):
    """Specific force over time."""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(8, 4))
    axes.semilogy(*deaf.T, label='deaf')
    axes.semilogy(*hears.T, label='hears its IMU')
    axes.set(xlabel='time [s]', ylabel='specific force [m/s$^2$]', ylim=(0.1, None)), axes.legend()
    figure.savefig(out, dpi=120, bbox_inches='tight')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='PNG to draw into')
    out = parser.parse_args().out
    runs = fly(False), fly(True)
    if out:
        draw(*runs, out)
