# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a world is: the typed, frozen result of parsing a world file.  SI units, world ENU, quaternions wxyz."""
from __future__ import annotations

from collections import Counter
from dataclasses import InitVar, dataclass, field, fields

from ...engine import HalfSpace, Shape
from ...engine.model import choices, mixing, solvers
from ...engine.world import constraints
from .shape_words import word_of

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
# principal moments, or the rows of a full tensor
Inertia = Vec3 | tuple[Vec3, Vec3, Vec3]

# words of world files: those of the engine
SOLVERS, COMBINE_RULES, CONTACT_PROFILES = tuple(solvers.SOLVERS), tuple(mixing.RULES), tuple(choices.PROFILES)
CONSTRAINT_KINDS = tuple(constraints.KINDS)
AUTHORITIES = ('observe', 'correct', 'simulate')
# constraints of a scene at most: each is looked at in every call of the engine
MOST_CONSTRAINTS = 256
# user groups of collision filters: bits 0 .. 15, as in Bullet and in Gazebo's collide_bitmask; bit 0 is 'default'
GROUPS = 16
ALL_GROUPS = 2 ** GROUPS - 1
PAIR_KINDS = ('drone_drone', 'drone_wall', 'drone_hand', 'drone_object', 'object_object', 'object_wall', 'object_hand')


@dataclass(frozen=True)
class Pose:
    """A pose in the world: position of the body's origin (m), orientation body to world (wxyz)."""

    position: Vec3 = (0.0, 0.0, 0.0)
    quat: Quat = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MaterialConfig:
    """Material of a body: restitution e in [0, 1], or pairs of speed (m/s) and e; Coulomb friction mu >= 0; rolling and
    torsional friction (m).  Materials are equal by their values, whatever they are called."""

    name: str = field(default='default', compare=False)
    restitution: float | tuple[tuple[float, float], ...] = 0.3
    friction: float = 0.5
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0


@dataclass(frozen=True)
class PairMaterial:
    """What bodies of two materials (their names) have between them in place of the combined values; None: combined."""

    between: tuple[str, ...]
    restitution: float | tuple[tuple[float, float], ...] | None = None
    friction: float | None = None
    rolling_friction: float | None = None
    torsional_friction: float | None = None


@dataclass(frozen=True)
class CombineConfig:
    """How a pair's coefficients come from those of its bodies; of COMBINE_RULES."""

    restitution: str = 'max'
    friction: str = 'geometric_mean'


@dataclass(frozen=True)
class ContactTimeConfig:
    """Impacts over time: the profile of the force, of CONTACT_PROFILES, over `time` (s), or over the duration that
    `stiffness` (N/m; hertz: N/m^1.5) gives."""

    profile: str
    time: float | None = None
    stiffness: float | None = None


@dataclass(frozen=True)
class CollisionBits:
    """The user's filter of a body: bits of the groups that it is in, and of those that it meets.

    Two bodies can touch where group_a & mask_b and group_b & mask_a, and their kinds and names are not switched off.
    """

    group: int = 1
    mask: int = ALL_GROUPS


@dataclass(frozen=True)
class FileSource:
    """Where a wall's mesh or height field was read: absolute path, and the factor on a mesh's coordinates."""

    path: str
    scale: float = 1.0


@dataclass(frozen=True)
class WallConfig:
    """A body that never moves: any shape of the engine at a pose; the normal and offset of a half-space are in the
    pose's frame.  source: the file of a mesh or height field, None where it was given by numbers."""

    name: str
    shape: Shape = HalfSpace()
    pose: Pose = Pose()
    material: MaterialConfig = MaterialConfig()
    collision: CollisionBits = CollisionBits()
    source: FileSource | None = None

    @property
    def kind(self) -> str:
        """The word of a world file for the shape."""
        return word_of(self.shape)


@dataclass(frozen=True)
class ObjectConfig:
    """A free body: mass (kg), inertia about the CoM in the shape's axes (kg m^2, None = from the shape), com in the
    shape's frame (m, None = the uniform centroid); start: pose of the shape's frame, velocities of the CoM (world)."""

    name: str
    shape: Shape
    mass: float
    inertia: Inertia | None = None
    pose: Pose = Pose()
    linear_velocity: Vec3 = (0.0, 0.0, 0.0)
    angular_velocity: Vec3 = (0.0, 0.0, 0.0)
    material: MaterialConfig = MaterialConfig()
    collision: CollisionBits = CollisionBits()
    com: Vec3 | None = None


@dataclass(frozen=True)
class RotorConfig:
    """One rotor: position in base_link (m, FLU), thrust = thrust_coefficient w^2 along +z (N), reaction torque
    torque_coefficient w^2 about z (N m), against the spin ('ccw' or 'cw' seen from above), lag time_constant (s, 0 =
    none), max_speed (rad/s, 0 = not known)."""

    position: Vec3
    thrust_coefficient: float
    torque_coefficient: float = 0.0
    spin: str = 'ccw'
    time_constant: float = 0.0
    max_speed: float = 0.0


@dataclass(frozen=True)
class DroneModel:
    """A type of drone: mass (kg), inertia about the CoM in body axes (kg m^2), com in base_link (m), collision shape
    centred on base_link, rotor table, drag (N per m/s, along the velocity); stop_above: an impulse (N s) on its disc
    above which a rotor stops, None: it never does."""

    name: str
    mass: float
    inertia: Inertia
    shape: Shape
    com: Vec3 = (0.0, 0.0, 0.0)
    rotors: tuple[RotorConfig, ...] = ()
    drag: float = 0.0
    material: MaterialConfig = MaterialConfig()
    stop_above: float | None = None


@dataclass(frozen=True)
class DroneConfig:
    """One drone: model, start pose of base_link (world), authority, origin (pose in the world of the frame its poses
    are in)."""

    name: str
    model: DroneModel
    pose: Pose = Pose()
    authority: str = 'correct'
    origin: Pose = Pose()
    collision: CollisionBits = CollisionBits()


# an infinite mass in a text, where JSON has no such number
INFINITE = '.inf'


@dataclass(frozen=True)
class HandConfig:
    """A tracked hand or head: radius_scale multiplies the radii, measured or fallback; shape: Sphere or Box that a
    single pose has (None: a sphere of the layout's radius); effective_mass: kg that a part that is hit has, that of
    hands and fingers in ISO/TS 15066:2016, table A.3; inf: nothing holds the hand back; handedness: 'left', 'right', ''
    for either (a head), None: as the name says; grasp_assistance: gestures take hold of drones and objects."""

    name: str
    radius_scale: float = 1.0
    material: MaterialConfig = MaterialConfig()
    collision: CollisionBits = CollisionBits()
    shape: Shape | None = None
    effective_mass: float = 0.6
    handedness: str | None = None
    grasp_assistance: bool = False


# what an entry of a world file is, and what comes while a scene runs
Body = DroneConfig | WallConfig | ObjectConfig | HandConfig


@dataclass(frozen=True)
class ConstraintConfig:
    """Two bodies held together, by names; the arguments of the engine's `attach`, whose docstring explains them.  kind:
    of CONSTRAINT_KINDS; anchors (m) in the frames of the bodies' shapes, a drone's is base_link; None: left out."""

    name: str
    kind: str
    body_a: str
    body_b: str
    anchor_a: Vec3 | None = None
    anchor_b: Vec3 | None = None
    axis: Vec3 | None = None            # of a hinge, in the frame of body_a
    length: float | None = None         # m
    restitution: float = 0.0            # of a cable
    stiffness: float | None = None      # N/m, of a spring
    damping: float = 0.0                # N s/m, of a spring
    max_force: float | None = None      # N
    max_torque: float | None = None     # N m
    break_force: float | None = None    # N
    break_impulse: float | None = None  # N s
    collide: bool | None = None
    gap: float = constraints.GAP        # m

    def settings(self) -> dict[str, object]:
        """The keywords of the engine's `attach`."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ('kind', 'body_a', 'body_b')}


@dataclass(frozen=True)
class FilterConfig:
    """Which contacts exist: kinds switched off (of PAIR_KINDS), pairs of names that never collide, and the names of the
    user's groups, bit 1 first."""

    off: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class SpareConfig:
    """How many more drones, walls, objects and hands there may be at a time than the world file has: places of those
    that come while the scene runs."""

    drones: int = 0
    walls: int = 0
    objects: int = 0
    hands: int = 0


@dataclass(frozen=True)
class SceneParams:
    """Times and bounds of the scene.  Each is a key of the world file's ``scene:`` section and a keyword of
    from_yaml."""

    offset_time_constant: float = 0.3       # s, critically damped return of a `correct` drone to its reference
    max_extrapolation: float = 0.2          # s, a sample is extrapolated this far, then its drone stands still
    stale_timeout: float = 0.5              # s, older poses raise the STALE flag and are refused on arrival
    remove_timeout: float = 1.0             # s, after this the drone is out of contact until new data arrive
    teleport_bound: float = 2.0             # m between a sample and its prediction: a reset, never a velocity
    restart_bound: float = 0.5              # s, a jump back in stamps beyond this is a restarted source ...
    restart_samples: int = 3                # ... after so many samples in order
    reorder_samples: int = 10               # smaller jumps back count as a restart after so many
    max_speed: float = 50.0                 # m/s, bound of a velocity made from poses
    max_rate: float = 50.0                  # rad/s, the same for angular velocity
    linear_velocity_limit: float = 1000.0   # m/s, 3 times sound: faster samples are refused, faster bodies slowed down
    angular_velocity_limit: float = 2000.0  # rad/s, 19,000 rpm: the same for rates
    persist_period: float = 0.1             # s between PERSIST events of one contact
    end_hysteresis: float = 0.02            # s without touch before a contact ends
    hand_max_speed: float = 5.0             # m/s, clamp of a hand joint's speed
    hand_teleport_bound: float = 0.5        # m per sample and joint
    hand_timeout: float = 0.25              # s without data before a hand leaves the scene
    hand_max_extrapolation: float = 0.12    # s, covers tracker latency and one sample
    hand_noise: float = 0.003               # m rms per coordinate, first guess of a tracker's noise, which is learnt
    hand_stiffness: float = 300.0           # N/m, with which a hand of finite mass returns to its tracker, damped
    hand_max_force: float = 80.0            # N, what a part of such a hand, or all together, presses with at most
    hand_pass_distance: float = 0.2         # m, held back farther than this such a hand passes through
    proximity: float = 0.0                  # m, clearances of drones up to this are in every tick; 0: none
    max_steps: int = 100                    # engine steps run by one advance(); more are dropped and counted
    deflection_time_constant: InitVar[float | None] = None   # the name of offset_time_constant in 0.1.0

    def __post_init__(self, deflection_time_constant: float | None) -> None:
        if deflection_time_constant is not None:
            object.__setattr__(self, 'offset_time_constant', deflection_time_constant)


@dataclass(frozen=True)
class WorldConfig:
    """A whole world.  source: where it came from, for messages; penalty_stiffness (N/m) of a contact point, None = from
    the bodies' masses."""

    source: str = field(default='<config>', compare=False)
    name: str = 'world'
    gravity: Vec3 = (0.0, 0.0, -9.80665)
    dt: float = 1e-3
    integrator: str = 'exact'
    restitution_threshold: float = 0.01
    solver: str = 'sequential'
    penalty_stiffness: float | None = None
    combine: CombineConfig = CombineConfig()
    materials: tuple[MaterialConfig, ...] = ()      # those that pair_materials names
    pair_materials: tuple[PairMaterial, ...] = ()
    contact: ContactTimeConfig | None = None
    walls: tuple[WallConfig, ...] = ()
    objects: tuple[ObjectConfig, ...] = ()
    drones: tuple[DroneConfig, ...] = ()
    hands: tuple[HandConfig, ...] = ()
    constraints: tuple[ConstraintConfig, ...] = ()
    filters: FilterConfig = field(default_factory=FilterConfig)
    spare: SpareConfig = SpareConfig()
    default_material: MaterialConfig = field(default=MaterialConfig(), compare=False)   # of what comes later
    file_materials: tuple[MaterialConfig, ...] = field(default=(), compare=False)               # all, for the same
    scene: SceneParams = field(default_factory=SceneParams)

    def summary(self) -> str:
        """The world in a few lines, for people."""
        gravity = ', '.join(f'{g:g}' for g in self.gravity)
        lines = [f'{self.source}: world {self.name!r}: gravity ({gravity}) m/s^2, step {self.dt * 1e3:g} ms, '
                 f'{self.integrator}',
                 _line('walls', [f'{w.name} ({w.kind})' for w in self.walls]),
                 _line('objects', [f'{o.name} ({word_of(o.shape)}, {o.mass:g} kg)' for o in self.objects]),
                 _line('drones', [f'{d.name} ({d.model.name}, {d.authority})' for d in self.drones]),
                 _line('hands', [h.name for h in self.hands])]
        models = Counter(d.model for d in self.drones)
        lines += [f'  model {m.name}: {m.mass:g} kg, {word_of(m.shape)}, {len(m.rotors)} rotors, '
                  f'e {_e(m.material)}, mu {m.material.friction:g}, used by {n}' for m, n in models.items()]
        if self.constraints:
            held = [f'{c.name} ({c.kind}, {c.body_a} - {c.body_b})' for c in self.constraints]
            lines.append(_line('constraints', held))
        off = list(self.filters.off) + ['-'.join(p) for p in self.filters.pairs]
        return '\n'.join([*lines, _line('contacts off', off)])


def _e(material: MaterialConfig) -> str:
    e = material.restitution
    return f'{e:g}' if isinstance(e, float) else ' '.join(f'{value:g} at {speed:g} m/s' for speed, value in e)


def _line(title: str, items: list[str], most: int = 8) -> str:
    more = f', ... {len(items) - most} more' if len(items) > most else ''
    return f'  {title}: {len(items)}' + (f': {", ".join(items[:most])}{more}' if items else '')
