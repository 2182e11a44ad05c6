"""The engines behind one small face, so that every benchmark runs the same loop over each: `exchange` sets forces and
reads poses every step, `steps` only steps, `save` and `restore` bring back the moment the measurement starts from."""
import numpy as np

from hakoniwa_rigid.engine import Sphere

from . import scenes

# MuJoCo has no restitution: a spring and damper of 20 ms that returns e of the speed (damping ratio from e)
TIME_CONSTANT = 0.02
DAMPING = -np.log(scenes.RESTITUTION) / np.hypot(np.pi, np.log(scenes.RESTITUTION))


class Hakoniwa:
    """This engine."""

    name = 'hakoniwa_rigid'

    def __init__(self, scene):
        self.world = scenes.world(scene)
        self.n = scene.n
        self.thrust = np.zeros((self.world.n, 3))
        self.thrust[:self.n] = scene.force
        self.world.force[:] = self.thrust

    def exchange(self, count):
        """`count` times: all forces in, one step, all poses out as numpy."""
        w, thrust = self.world, self.thrust
        for _ in range(count):
            w.force[:] = thrust
            w.step()
            pose = w.pos, w.quat
        return pose

    def steps(self, count):
        """`count` steps, one call each."""
        w = self.world
        for _ in range(count):
            w.step()

    def save(self):
        """The present state, for `restore`."""
        return self.world.save()

    def restore(self, saved):
        """Back to a saved state."""
        self.world.restore(saved)

    def positions(self):
        """(n, 3) m."""
        return self.world.pos[:self.n]

    def touching(self):
        """Contact rows of the last step."""
        return len(self.world.contacts())


class MuJoCo:
    """The peer: free joints without damping, Euler, its defaults for solver and cone, the same step, gravity, friction
    (condim 3) and e."""

    name = 'mujoco'

    def __init__(self, scene):
        import mujoco
        self.mj = mujoco
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
        """As Hakoniwa.exchange; qpos holds positions and quaternions in one array, the cheapest way to get both."""
        step, m, d, thrust = self.mj.mj_step, self.model, self.data, self.thrust
        for _ in range(count):
            d.xfrc_applied[1:, :3] = thrust
            step(m, d)
            pose = d.qpos.copy()
        return pose

    def steps(self, count):
        """`count` steps, one call each."""
        step, m, d = self.mj.mj_step, self.model, self.data
        for _ in range(count):
            step(m, d)

    def save(self):
        """The present state, for `restore`: all that mj_step starts from."""
        state = np.empty(self.mj.mj_stateSize(self.model, self.mj.mjtState.mjSTATE_INTEGRATION))
        self.mj.mj_getState(self.model, self.data, state, self.mj.mjtState.mjSTATE_INTEGRATION)
        return state

    def restore(self, saved):
        """Back to a saved state."""
        self.mj.mj_setState(self.model, self.data, saved, self.mj.mjtState.mjSTATE_INTEGRATION)

    def positions(self):
        """(n, 3) m."""
        return self.data.qpos.reshape(self.n, 7)[:, :3]

    def touching(self):
        """Contact points of the last step."""
        return int(self.data.ncon)


def mjcf(scene):
    """The scene as MuJoCo's XML."""
    if isinstance(scene.shape, Sphere):
        kind, size = 'sphere', [scene.shape.radius]
    else:
        kind, size = 'box', np.multiply(scene.shape.size, 0.5)
    walls = '\n'.join(f'<geom type="plane" size="0 0 1" zaxis="{words(normal)}" '
                      f'pos="{words(np.multiply(normal, offset))}"/>' for normal, offset in scene.walls)
    drones = '\n'.join(f'<body pos="{words(p)}" quat="{words(q)}"><freejoint/>'
                       f'<inertial pos="0 0 0" mass="{scenes.MASS}" diaginertia="{words(scenes.INERTIA)}"/>'
                       f'<geom type="{kind}" size="{words(size)}"/></body>'
                       for p, q in zip(scene.pos, scene.quat, strict=True))
    return f"""<mujoco>
  <option timestep="{scenes.DT}" gravity="0 0 {-scene.gravity}" integrator="Euler"/>
  <default><geom condim="3" friction="{scenes.FRICTION} 0 0" solref="{TIME_CONSTANT} {DAMPING:.6f}"/></default>
  <worldbody>{walls}{drones}</worldbody>
</mujoco>"""


def words(numbers):
    """Numbers as XML wants them, exact."""
    return ' '.join(repr(float(x)) for x in numbers)


ENGINES = (Hakoniwa, MuJoCo)
