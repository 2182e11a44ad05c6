"""Before the steps of a tick: what the samples of observed drones show, and how those that follow meet the steps.
Those that do not do what they are told, and those that go through what they touch, are counted by name."""
from __future__ import annotations

import numpy as np

from . import rotations as rot
from .events import EventTracker
from .records import Ledger, Verdict
from .rows import OMEGA, VEL

# other bodies that a path may go through before it comes to the one asked about
MOST_BETWEEN = 8
# share of the way by which a ray starts anew behind a surface that it has entered
BEHIND = 1e-6

__all__ = ['enters', 'look_at_observed']


def look_at_observed(world, tracker: EventTracker, observed: np.ndarray, names, ledger: Ledger, t0_ns: int) -> None:
    """Take the samples of observed drones (B,) bool, say what there is to say of them, and give those that follow the
    velocities with which they meet the steps from t0; names (B)."""
    if tracker.responses.look():
        _say(world, tracker, observed, names, ledger)
    ahead = tracker.lean(observed, t0_ns)
    if ahead:
        index = np.array(list(ahead))
        motions = world.motions(index)
        motions[:, VEL:OMEGA] += list(ahead.values())
        world.set_motions(index, motions)


def enters(world, body: int, start: np.ndarray, end: np.ndarray) -> bool:
    """Whether the straight way from start to end (3,) m goes into a body."""
    way = end - start
    length = float(rot.norm(way))
    unit, origin, left = way / max(length, 1e-300), start, length
    for _ in range(MOST_BETWEEN):
        hit = world.ray_cast(origin, unit, left) if left > 0.0 else None
        if hit is None or hit.body == body:
            return hit is not None
        # a body that holds the origin is not met again
        gone = hit.distance + BEHIND * length
        origin, left = origin + gone * unit, left - gone
    return False


def _say(world, tracker: EventTracker, observed: np.ndarray, names, ledger: Ledger) -> None:
    """Of each drone of a contact once: that it was told an impulse, has not followed it and pushes on; that its centre
    of mass, from sample to sample, went into the other body."""
    responses = tracker.responses
    for contact, body, other in tracker.running(observed):
        if responses.gave_up(body) and not contact.resolved and tracker.says(contact, ('unanswered', body)):
            what = f'does not follow its impulses and pushes on into {names[other]}'
            ledger.note(Verdict.UNANSWERED, names[body], what)
        if responses.fresh(body):
            start, end, seconds = responses.way(body)
            # as seen from the other body, which is where it is now
            start = start + seconds * world.motions(np.array([other]))[0, VEL:OMEGA]
            if enters(world, other, start, end) and tracker.says(contact, ('through', body)):
                ledger.note(Verdict.WENT_THROUGH, names[body], f'its centre went into {names[other]} at '
                            f'{rot.norm(end - start) / max(seconds, 1e-9):.3g} m/s')
