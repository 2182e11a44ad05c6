# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""MuJoCo: free joints without damping, its defaults for solver and cone.

It has no restitution: a spring and damper of 20 ms that returns e of the speed (damping ratio from e).  Meshes are
convex there: a building is made of its panels.
"""
import mujoco
import numpy as np

from hakoniwa_rigid.engine import Box, Sphere

from .. import scenes

TIME_CONSTANT = 0.02
MEMORY = '2G'
# all that the next step depends on
WHOLE = mujoco.mjtState.mjSTATE_INTEGRATION


class MuJoCo:
    """float64, one thread."""

    name, package, threads, about = 'MuJoCo', 'mujoco', 1, 'float64; contacts are springs of 20 ms'
    most = 10_000

    def __init__(self, scene):
        self.model = mujoco.MjModel.from_xml_string(mjcf(scene))
        self.data = mujoco.MjData(self.model)
        self.n = scene.n
        self.thrust = np.tile(np.asarray(scene.force), (self.n, 1))
        # qvel of a free joint: linear in world, angular in body axes
        turn = np.empty(9)
        for i in range(self.n):
            mujoco.mju_quat2Mat(turn, scene.quat[i])
            self.data.qvel[6 * i:6 * i + 3] = scene.linvel[i]
            self.data.qvel[6 * i + 3:6 * i + 6] = turn.reshape(3, 3).T @ scene.angvel[i]
        self.data.xfrc_applied[1:, :3] = self.thrust

    def exchange(self, count):
        """qpos holds positions and quaternions in one array, the cheapest way to get both."""
        step, m, d, thrust = mujoco.mj_step, self.model, self.data, self.thrust
        for _ in range(count):
            d.xfrc_applied[1:, :3] = thrust
            step(m, d)
            pose = d.qpos.copy()
        return pose

    def steps(self, count):
        """One call each."""
        step, m, d = mujoco.mj_step, self.model, self.data
        for _ in range(count):
            step(m, d)

    def positions(self):
        """(n, 3) m."""
        return self.data.qpos.reshape(self.n, 7)[:, :3]

    def save(self):
        """For `restore`."""
        state = np.empty(mujoco.mj_stateSize(self.model, WHOLE))
        mujoco.mj_getState(self.model, self.data, state, WHOLE)
        return state

    def restore(self, saved):
        """Back to where it was."""
        mujoco.mj_setState(self.model, self.data, saved, WHOLE)


def _geom(shape, place):
    if isinstance(shape, Sphere):
        kind, size = 'sphere', [shape.radius]
    elif isinstance(shape, Box):
        kind, size = 'box', np.multiply(shape.size, 0.5)
    else:
        kind, size = 'cylinder', [shape.radius, 0.5 * shape.height]
    return f'<geom type="{kind}" size="{words(size)}" pos="{words(place)}"/>'


def mjcf(scene):
    """The scene as MuJoCo's XML."""
    e = max(scene.restitution, 1e-3)
    damping = -np.log(e) / np.hypot(np.pi, np.log(e))
    walls = [f'<geom type="plane" size="0 0 1" zaxis="{words(normal)}" pos="{words(np.multiply(normal, offset))}"/>'
             for normal, offset in scene.walls]
    walls += [_geom(Box(size), centre) for size, centre in scene.panels]
    geoms = ''.join(_geom(*part) for part in scene.parts)
    bodies = [f'<body pos="{words(p)}" quat="{words(q)}"><freejoint/><inertial pos="0 0 0" mass="{scene.mass}" '
              f'diaginertia="{words(scene.inertia)}"/>{geoms}</body>'
              for p, q in zip(scene.pos, scene.quat, strict=True)]
    # what it would take by itself for thousands of bodies is more than a machine has
    size = f'<size memory="{MEMORY}"/>' if scene.n > 1000 else ''
    return f"""<mujoco>{size}
  <option timestep="{scenes.DT}" gravity="0 0 {-scenes.G}" integrator="Euler"/>
  <default><geom condim="3" friction="{scene.friction} 0 0" solref="{TIME_CONSTANT} {damping:.6f}"/></default>
  <worldbody>{''.join(walls)}{''.join(bodies)}</worldbody>
</mujoco>"""


def words(numbers):
    """Numbers as XML wants them, exact."""
    return ' '.join(repr(float(x)) for x in numbers)
