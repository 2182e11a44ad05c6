"""What joins a simulator with collision_node: a node that sends its states and does what it is told, by authority.

A simulator has dt (s), mass (kg), inertia (3,), step(), state(k) and put(k, x, q, v, w), all in the world.
"""
import sys
from contextlib import suppress

import numpy as np
from scipy.spatial.transform import Rotation


def three(v):
    """(3,) of a message."""
    return np.array((v.x, v.y, v.z))


def fill(target, values):
    """Numbers into x, y, z (and w) of a message."""
    for axis, value in zip('xyzw', values, strict=False):
        setattr(target, axis, float(value))


def put(sim, k, msg):
    """correct, simulate: be where an Odometry says."""
    q, twist = msg.pose.pose.orientation, msg.twist.twist
    turn = Rotation.from_quat((q.x, q.y, q.z, q.w))
    velocities = (turn.apply(three(v)) for v in (twist.linear, twist.angular))
    sim.put(k, three(msg.pose.pose.position), turn.as_quat(), *velocities)


def kick(sim, k, dv, dw):
    """observe: add the changes of an event, (3,) m/s and rad/s."""
    x, q, v, w = sim.state(k)
    sim.put(k, x, q, v + dv, w + dw)


def wrench(sim, before, after):
    """simulate: the force (N) and torque (N m), body, by which rotors and air made one state of the other in dt."""
    turn, mean = Rotation.from_quat(before[1]).inv(), 0.5 * (before[3] + after[3])
    force = sim.mass * ((after[2] - before[2]) / sim.dt + (0.0, 0.0, 9.80665))
    spin = sim.inertia * turn.apply((after[3] - before[3]) / sim.dt)
    return turn.apply(force), spin + np.cross(turn.apply(mean), sim.inertia * turn.apply(mean))


class Beside:
    """One node for the drones d0 ... of a simulator: it sends their odometry, and does what `authority` asks for."""

    def __init__(self, node, sim, count, authority):
        from geometry_msgs.msg import WrenchStamped
        from hakoniwa_rigid.msg import ContactEventArray
        from nav_msgs.msg import Odometry
        self.node, self.sim, self.led, self.names = node, sim, authority != 'simulate', [f'd{k}' for k in range(count)]
        kind, topic = (Odometry, 'odom') if self.led else (WrenchStamped, 'wrench')
        self.outputs = [(node.create_publisher(kind, f'{name}/{topic}', 5), kind()) for name in self.names]
        if authority == 'observe':
            node.create_subscription(ContactEventArray, 'contact_events', self.on_events, 1000)
        for k, name in enumerate(self.names if authority != 'observe' else ()):
            topic = f'{name}/set_state' if self.led else f'{name}/odom_corrected'
            node.create_subscription(Odometry, topic, lambda msg, k=k: put(sim, k, msg), 10)
        node.create_timer(sim.dt, self.tick)

    def on_events(self, msg):
        """Apply every impulse once; END (2) repeats them."""
        for e in msg.events:
            for name, *change in ((e.body_a, e.delta_v_a, e.delta_omega_a), (e.body_b, e.delta_v_b, e.delta_omega_b)):
                if name in self.names and e.phase != 2:
                    kick(self.sim, self.names.index(name), *map(three, change))

    def tick(self):
        """A step, and what it came to."""
        before = [self.sim.state(k) for k in range(len(self.names))]
        self.sim.step()
        for k, (publisher, msg) in enumerate(self.outputs):
            after = self.sim.state(k)
            msg.header.stamp, msg.header.frame_id = self.node.get_clock().now().to_msg(), 'world'
            if self.led:
                turn, pose, twist = Rotation.from_quat(after[1]).inv(), msg.pose.pose, msg.twist.twist
                fill(pose.position, after[0]), fill(pose.orientation, after[1])
                fill(twist.linear, turn.apply(after[2])), fill(twist.angular, turn.apply(after[3]))
                msg.child_frame_id = f'{self.names[k]}/base_link'
            else:
                force, torque = wrench(self.sim, before[k], after)
                msg.header.frame_id = f'{self.names[k]}/base_link'
                fill(msg.wrench.force, force), fill(msg.wrench.torque, torque)
            publisher.publish(msg)


def main(name, simulator):
    """Run a simulator(starts, goals) as its line says until Ctrl-C: authority start:goal [start:goal of the next]."""
    import rclpy
    from rclpy.executors import ExternalShutdownException
    rclpy.init()
    authority, *courses = rclpy.utilities.remove_ros_args(sys.argv)[1:]
    starts, goals = zip(*([[float(c) for c in place.split(',')] for place in course.split(':')] for course in courses),
                        strict=True)
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Beside(rclpy.create_node(name), simulator(starts, goals), len(courses), authority).node)
