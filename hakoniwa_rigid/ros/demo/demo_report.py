# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What happened in a demo run, computed from its bag alone: contacts by kind, momentum, energy, timing, and whether
all kinds occurred.

Everything is read back from the recorded messages with rosbags; the only other input is the world file, for masses
and walls.
"""
from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import Reader

from hakoniwa_rigid.codec.cdr import ODOMETRY, SampleReader
from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.replay.bag.types import typestore
from hakoniwa_rigid.rotations import rotate_xyzw
from hakoniwa_rigid.scene.world_files.world_types import WorldConfig

from .momentum import NO_PLAN, Plan, contact_change

BEGIN, PERSIST, END = range(3)
DRONE_DRONE, DRONE_WALL, DRONE_HAND = range(3)
KIND_NAMES = ('drone - drone', 'drone - wall', 'drone - hand', 'drone - object', 'object - object', 'object - wall',
              'object - hand')
LANDED_AFTER = 1.0     # s of contact with the top of a box until a landing counts as one
HIT_SPEED = 0.2        # m/s of approach from which touching a wall counts as flying into it
UPRIGHT = 0.9          # |normal.z| from which a surface is a floor or a top
NEARBY = 0.02          # s within which something else is not told from a hit by the states
NOTABLE = 0.2          # N s; weaker drone-drone impulses are not listed one by one
EVENTS, STATES, DIAGNOSTICS = '/contact_events', '/fleet/states_corrected', '/diagnostics'
ODOM = '/odom'         # behind a drone's name: the samples of its simulator


@dataclass(frozen=True)
class Event:
    """One ContactEvent; vectors as arrays (3,), world frame, SI."""

    t: float                  # s since the first state
    id: int
    phase: int
    kind: int
    body_a: str
    body_b: str
    position: np.ndarray
    normal: np.ndarray
    impulse: np.ndarray
    duration: float
    velocity_before: np.ndarray
    velocity_after: np.ndarray
    delta_v_a: np.ndarray
    delta_v_b: np.ndarray

    @property
    def approach(self) -> float:
        """Speed of approach along the normal before the impulse, m/s; negative when separating."""
        return -float(self.velocity_before @ self.normal)

    @property
    def energy_change(self) -> float:
        """Change of kinetic energy, J: J . (v_before + v_after) / 2 at the contact point, exact for one impulse."""
        return 0.5 * float(self.impulse @ (self.velocity_before + self.velocity_after))


@dataclass
class Run:
    """A recorded run. ``positions[name]`` and ``velocities[name]`` are (T,3) m and m/s, world, at ``times`` (T,) s; NaN
    where a drone had no state: its simulator had not spoken yet, or for too long. ``plans[name]``: what the simulator
    said."""

    times: np.ndarray
    positions: dict[str, np.ndarray]
    velocities: dict[str, np.ndarray]
    events: list[Event]
    diagnostics: list[dict[str, str]] = field(default_factory=list)
    messages: int = 0
    plans: dict[str, Plan] = field(default_factory=dict)


def read_run(bag: Path) -> Run:
    """Read a demo bag; ValueError where it has no states."""
    store = typestore()
    stamps, states, names, arrays, run_diagnostics, samples = [], [], {}, [], [], {}
    with Reader(bag) as reader:
        wanted = [c for c in reader.connections if c.topic in (EVENTS, STATES, DIAGNOSTICS) or c.topic.endswith(ODOM)]
        for connection, _, data in reader.messages(wanted):
            if connection.topic.endswith(ODOM):
                samples.setdefault(connection.topic.strip('/').removesuffix(ODOM), []).append(bytes(data))
                continue
            msg = store.deserialize_cdr(data, connection.msgtype)
            if connection.topic == STATES:
                stamps.append(nanoseconds(msg.header.stamp))
                rows = [names.setdefault(name, len(names)) for name in msg.names]
                states.append((rows, msg.positions, msg.linear_velocities))
            elif connection.topic == EVENTS:
                arrays.extend(msg.events)
            else:
                run_diagnostics.append({v.key: v.value for status in msg.status for v in status.values})
        messages = reader.message_count
    if not stamps:
        raise ValueError(f'{bag}: no message on {STATES}: nothing was recorded')
    x, v = np.full((2, len(stamps), len(names), 3), np.nan)
    for t, (rows, positions, velocities) in enumerate(states):
        x[t, rows], v[t, rows] = np.reshape(positions, (-1, 3)), np.reshape(velocities, (-1, 3))
    return Run(times=(np.array(stamps) - stamps[0]) / NANOSECONDS,
               positions={name: x[:, k] for name, k in names.items()},
               velocities={name: v[:, k] for name, k in names.items()},
               events=[event_of(msg, stamps[0]) for msg in arrays],
               diagnostics=run_diagnostics, messages=messages,
               plans={name: plan_of(found, stamps[0]) for name, found in samples.items()})


def plan_of(samples: list[bytes], origin_ns: int) -> Plan:
    """Odometry messages of a drone as its plan, in the order of their stamps."""
    reader, rows = SampleReader(ODOMETRY), []
    for data in samples:
        sample = reader.read(data)
        p, q, v = sample.values[:3], sample.values[3:7], sample.values[7:10]
        rows.append(((nanoseconds(sample.header.stamp) - origin_ns) / NANOSECONDS, *p, *rotate_xyzw(q, v)))
    table = np.array(sorted(rows))
    return Plan(table[:, 0], table[:, 1:4], table[:, 4:])


def nanoseconds(stamp) -> int:
    """builtin_interfaces/Time to ns."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def event_of(msg, origin_ns: int) -> Event:
    """A ContactEvent message as an Event."""
    def vector(v) -> np.ndarray:
        return np.array([v.x, v.y, v.z])
    return Event(
        t=(nanoseconds(msg.header.stamp) - origin_ns) / NANOSECONDS, id=msg.id, phase=msg.phase, kind=msg.kind,
        body_a=msg.body_a, body_b=msg.body_b, position=vector(msg.position), normal=vector(msg.normal),
        impulse=vector(msg.impulse), duration=msg.duration, velocity_before=vector(msg.relative_velocity_before),
        velocity_after=vector(msg.relative_velocity_after),
        delta_v_a=vector(msg.delta_v_a), delta_v_b=vector(msg.delta_v_b))


@dataclass(frozen=True)
class Hit:
    """One drone-drone impulse and its momentum balance, world frame."""

    t: float            # s
    body_a: str
    body_b: str
    approach: float     # m/s along the normal
    impulse: float      # N s
    residual: float     # |m_a dv_a + m_b dv_b| / (m_a |dv_a| + m_b |dv_b|), dv of the corrected states over the tick of
    #                     the hit, less the plan's own; NaN where it cannot be told from what else came in that tick
    energy: float       # J, change of kinetic energy


# why that is
DROPPED = ': the processor was with other programs, and time went on without them'


@dataclass(frozen=True)
class Summary:
    """The numbers of a run."""

    contacts: dict[str, tuple[int, float, float]]   # kind -> contacts, sum of |impulse| N s, largest approach m/s
    occurred: dict[str, bool]                        # required kind -> did it occur
    hits: tuple[Hit, ...]
    energy_taken: float                              # J taken out of the drones by hits among each other
    energy_range: tuple[float, float]                # J, mechanical energy of the scene as the node reports it
    tick_period: tuple[float, float]                 # s, median p50 and largest p99 of the node's reports
    overruns: int                                    # engine steps dropped
    duration: float                                  # s of states

    @property
    def complete(self) -> bool:
        """Every required kind occurred."""
        return all(self.occurred.values())

    @property
    def worst_residual(self) -> float:
        """Largest relative momentum residual of the drone-drone hits that are listed and have one; NaN without."""
        return max((hit.residual for hit in self.weighed), default=math.nan)

    @property
    def weighed(self) -> list[Hit]:
        """The hits that worst_residual is of."""
        return [hit for hit in self.hits if hit.impulse >= NOTABLE and math.isfinite(hit.residual)]


def other_of(event: Event, names: Iterable[str]) -> str:
    """The body of an event that is not among ``names``."""
    return event.body_a if event.body_b in names else event.body_b


def summarise(run: Run, world: WorldConfig) -> Summary:
    """Count, check and time a run."""
    mass = {drone.name: drone.model.mass for drone in world.drones}
    hits = tuple(hit_of(e, mass, run, world.scene.offset_time_constant) for e in run.events
                 if e.kind == DRONE_DRONE and e.phase != END and e.impulse.any())
    return Summary(contacts=contact_table(run.events), occurred=required_kinds(run.events, world), hits=hits,
                   energy_taken=-sum(hit.energy for hit in hits),
                   energy_range=span(run.diagnostics, 'energy [J]'),
                   tick_period=(median(run.diagnostics, 'tick_period_p50 [s]'),
                                span(run.diagnostics, 'tick_period_p99 [s]')[1]),
                   overruns=int(span(run.diagnostics, 'overrun_steps')[1] if run.diagnostics else 0),
                   duration=float(run.times[-1] - run.times[0]))


def hit_of(event: Event, mass: dict[str, float], run: Run, offset_time_constant: float) -> Hit:
    """The momentum balance of one drone-drone event."""
    names, momenta = (event.body_a, event.body_b), np.full((2, 3), np.nan)
    if event.phase == BEGIN and is_alone(event, run.events):
        momenta = [mass[name] * contact_change(run.times, run.positions[name], run.velocities[name],
                                               run.plans.get(name, NO_PLAN), event.t, offset_time_constant)
                   for name in names]
    return Hit(event.t, *names, event.approach, float(np.linalg.norm(event.impulse)), balance(*momenta),
               event.energy_change)


def is_alone(event: Event, events: list[Event]) -> bool:
    """Whether nothing else touched one of the two about that time: its impulse would be in the states, too."""
    pair = {event.body_a, event.body_b}
    return not any(e.id != event.id and abs(e.t - event.t) < NEARBY and pair & {e.body_a, e.body_b} and e.phase != END
                   for e in events)


def balance(p_a: np.ndarray, p_b: np.ndarray) -> float:
    """|p_a + p_b| / (|p_a| + |p_b|) of two changes of momentum (3,) N s; infinite where both are zero."""
    scale = float(np.linalg.norm(p_a) + np.linalg.norm(p_b))
    return float(np.linalg.norm(p_a + p_b)) / scale if scale != 0.0 else math.inf


def contact_table(events: list[Event]) -> dict[str, tuple[int, float, float]]:
    """Per kind that occurred: contacts, sum of impulses (N s), largest speed of approach (m/s)."""
    table = {}
    for kind, name in enumerate(KIND_NAMES):
        mine = [e for e in events if e.kind == kind and e.phase != END]
        if mine:
            table[name] = (len({e.id for e in mine}), float(sum(np.linalg.norm(e.impulse) for e in mine)),
                           max(e.approach for e in mine))
    return table


def required_kinds(events: list[Event], world: WorldConfig) -> dict[str, bool]:
    """Which of the four things that the demo promises were seen in the events."""
    boxes = {wall.name for wall in world.walls if wall.kind == 'box'}
    drones = {drone.name for drone in world.drones}
    pushed = [e for e in events if e.phase != END and e.impulse.any()]
    on_wall = [e for e in events if e.kind == DRONE_WALL]
    resting: dict[int, float] = {}
    for e in on_wall:
        if other_of(e, drones) in boxes and abs(e.normal[2]) > UPRIGHT:
            resting[e.id] = max(resting.get(e.id, 0.0), e.duration)
    return {
        'drone hits drone': any(e.kind == DRONE_DRONE for e in pushed),
        'drone flies into a wall': any(e.phase == BEGIN and abs(e.normal[2]) < UPRIGHT and e.approach > HIT_SPEED
                                       and other_of(e, drones) not in boxes for e in on_wall),
        'drone lands on a table': max(resting.values(), default=0.0) >= LANDED_AFTER,
        'hand hits drone': any(e.kind == DRONE_HAND for e in pushed),
    }


def numbers(diagnostics: list[dict[str, str]], key: str) -> list[float]:
    """The finite values of one diagnostics key over a run."""
    values = [float(d[key]) for d in diagnostics if key in d]
    return [v for v in values if math.isfinite(v)]


def span(diagnostics: list[dict[str, str]], key: str) -> tuple[float, float]:
    """Smallest and largest value of a key; NaN where it was never reported."""
    values = numbers(diagnostics, key) or [math.nan]
    return min(values), max(values)


def median(diagnostics: list[dict[str, str]], key: str) -> float:
    """Median of a key; NaN where it was never reported."""
    return float(np.median(numbers(diagnostics, key) or [math.nan]))


def share(residual: float) -> str:
    """A residual for people."""
    return f'{residual:.1e}' if math.isfinite(residual) else 'not told apart'


def text(summary: Summary) -> str:
    """The summary as it is printed."""
    lines = [f'{"contacts":<18}{"number":>8}{"impulse":>12}{"fastest approach":>20}']
    for name, (count, impulse, approach) in summary.contacts.items():
        lines.append(f'  {name:<16}{count:>8}{impulse:>8.2f} N s{approach:>16.2f} m/s')
    lines += ['', f'{"drone - drone hits":<20}{"at":>7}{"approach":>13}{"impulse":>12}{"energy":>11}'
              '   momentum |m_a dv_a + m_b dv_b| / m|dv|']
    listed = [h for h in summary.hits if h.impulse >= NOTABLE]
    for h in listed:
        lines.append(f'  {h.body_a + " - " + h.body_b:<18}{h.t:>5.1f} s{h.approach:>9.2f} m/s{h.impulse:>8.2f} N s'
                     f'{h.energy:>9.2f} J   {share(h.residual):>24}')
    if len(listed) < len(summary.hits):
        lines.append(f'  and {len(summary.hits) - len(listed)} touches below {NOTABLE:g} N s')
    low, high = summary.energy_range
    p50, p99 = summary.tick_period
    told = f'worst residual {summary.worst_residual:.1e} over {len(summary.weighed)} hits'
    lines += ['',
              f"momentum             {told}, by the published states less the plan's own change",
              f'energy               {summary.energy_taken:.2f} J taken out by these hits; '
              f'scene between {low:.1f} and {high:.1f} J',
              f'tick period          p50 {p50 * 1e3:.3f} ms, worst p99 {p99 * 1e3:.3f} ms; '
              f'{summary.overruns} engine steps dropped{DROPPED if summary.overruns else ""}',
              '']
    lines += [f'  {"yes" if seen else "NO":<4} {what}' for what, seen in summary.occurred.items()]
    return '\n'.join(lines)
