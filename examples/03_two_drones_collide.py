"""Two drones meet head-on, 12 cm off centre. The engine alone: no files, no ROS."""
import numpy as np

from hakoniwa_rigid.engine import Box, WorldBuilder

MASS, INERTIA = 0.71, (0.0061, 0.00653, 0.0116)   # kg, kg m^2 about x, y, z of the body
G = 9.80665                                       # m/s^2


def main():
    """Fly, hit, compare the momentum before and after."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    for name, x, y, speed in (('west', -1.0, 0.06, 1.5), ('east', 1.0, -0.06, -1.5)):
        b.add_body(Box((0.5, 0.5, 0.15)), mass=MASS, inertia=INERTIA, pos=(x, y, 1.5), linvel=(speed, 0, 0),
                   restitution=0.5, friction=0.3, name=name)
    w = b.build()
    w.force[:, 2] = MASS * G                      # hovering thrust; it acts until somebody writes another one

    before, energy = momentum(w), w.kinetic_energy()
    while not len(w.contacts()):                  # rows of the last step; none until they touch
        w.step()
    rows = w.contacts()
    first, second = w.names[rows[0]['body_a']], w.names[rows[0]['body_b']]
    print(f'{first} and {second} touch at t = {w.time_steps * w.dt:.3f} s in {len(rows)} points:')
    for row in rows:
        closing, opening = -row['velocity_before'] @ row['normal'], row['velocity_after'] @ row['normal']
        print(f'  at {np.round(row["position"], 3)} m: impulse on {second} {np.round(row["impulse"], 4)} N s, '
              f'closing at {closing:.3f} m/s, then opening at {opening:.3f} m/s')
    print(f'impulse on {second} in all: {np.round(rows["impulse"].sum(axis=0), 4)} N s')
    after = momentum(w)
    for name, v, spin in zip(w.names, w.linvel, w.angvel, strict=True):
        print(f'{name} now flies at {np.round(v, 3)} m/s and turns at {np.round(spin, 3)} rad/s')
    print(f'linear momentum changed by {np.abs(after[0] - before[0]).max():.1e} N s')
    print(f'angular momentum changed by {np.abs(after[1] - before[1]).max():.1e} N m s')
    print(f'kinetic energy: {energy:.3f} J before, {w.kinetic_energy():.3f} J after')


def momentum(w):
    """Linear momentum (3,) N s and angular momentum (3,) N m s about the world's origin."""
    p = w.mass[:, None] * w.linvel
    turn = np.array([matrix(q) for q in w.quat])  # body axes -> world axes
    spin = np.einsum('nij,njk,nlk,nl->ni', turn, w.inertia, turn, w.angvel)
    return p.sum(axis=0), (np.cross(w.pos, p) + spin).sum(axis=0)


def matrix(wxyz):
    """Rotation matrix (3, 3) of a unit quaternion."""
    w, (x, y, z) = wxyz[0], wxyz[1:]
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


if __name__ == '__main__':
    main()
