"""Quality of service per kind of topic, as in the README's topic table.

Inputs are best effort: a lost sample is replaced by the next, and a best-effort reader accepts reliable and best-effort
writers alike. Outputs are reliable. ``depth`` is the number of unread messages a reader or writer keeps.
"""

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

__all__ = ['EVENTS', 'INPUT', 'LATCHED', 'STATES']


def _keep_last(depth: int, reliability: ReliabilityPolicy, durability: DurabilityPolicy) -> QoSProfile:
    return QoSProfile(depth=depth, history=HistoryPolicy.KEEP_LAST, reliability=reliability, durability=durability)


# samples of drones and hands: the newest stamp wins, so a short queue is enough
INPUT = _keep_last(5, ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE)
# corrected states and diagnostics: at 200 Hz ten samples cover a reader that sleeps 50 ms
STATES = _keep_last(10, ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE)
# contact events: an impulse that is lost is momentum that is lost; 1000 ticks are 5 s of contact at 200 Hz
EVENTS = _keep_last(1000, ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE)
# markers: a viewer that starts late still gets the walls, and the last moving picture
LATCHED = _keep_last(1, ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL)
