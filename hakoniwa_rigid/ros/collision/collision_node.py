# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""collision_node: real drones' and hands' poses in, physically right states and contact events out, at a fixed rate.

A lifecycle node. configure reads parameters and world, compiles, opens the topics; activate starts the ticks. A tick
reads the clock once, advances the scene and publishes. The rest lies in the modules beside this one.
"""

from __future__ import annotations

import gc
import traceback
from collections.abc import Iterator

from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter

from hakoniwa_rigid import kernel_cache, progress
from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.collision_scene import CLOCK_RESET
from hakoniwa_rigid.scene.drones.authority import CODES
from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.params import AUTHORITIES
from hakoniwa_rigid.scene.parameters.presets import declare_node
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.read_settings import period_ns, read_settings, warm_up
from hakoniwa_rigid.scene.records import Tick

from ..confined import check_confined
from ..errors import StartError
from ..executor import run
from ..params import Parameters
from ..priority import ordinary, real_time
from ..systemd import Notifier
from ..timing import TickGrid, TickStats
from .diagnostics import Health, Reporter
from .discovery import NoDiscovery, open_discovery
from .guard import Guard
from .imu_topics import ImuTopics
from .lockstep_ticks import LockstepTicks
from .markers import MarkerView
from .missed_ticks import MissedTicks
from .pace import Pace
from .publishers import Outputs
from .recorder import Recorder, open_recorder
from .roster_topic import RosterTopic
from .rotor_strike_topics import RotorStrikeTopics
from .services import PausedTopic, Services
from .spawned_topics import DronePart, SpawnedTopics
from .standard.opening import NoStandard, open_standard
from .state_keeper import StateKeeper, open_state_keeper
from .subscriptions import Inputs
from .tf_topics import TfOutput
from .watchdog import Watchdog

__all__ = ['CollisionNode', 'main']

Return = TransitionCallbackReturn


class CollisionNode(LifecycleNode):
    """The node. Raises StartError where its own parameters are wrong, and in `autostart` where a transition fails."""

    def __init__(self, **kwargs) -> None:
        self.polled: set = set()  # subscriptions that the tick empties (polled_subscriptions.py)
        # destroy_node asks for them, also where a parameter is wrong
        self._recorder, self._keeper = Recorder(), StateKeeper()
        self.guard, self._notifier = Guard(self), Notifier()
        self.standard = None    # services of simulation_interfaces, open from the first configure
        self.leaves = False     # it was asked to end
        self._watchdog: Watchdog | None = None
        super().__init__('collision_node', **kwargs)
        self._tables = Parameters(self)
        try:
            self._values = declare_node(self._tables)
        except SettingsError as error:
            raise StartError(str(error)) from error
        self.add_on_set_parameters_callback(self._check_parameters)
        self.add_post_set_parameters_callback(self._on_parameters)
        self._fault, self._starting = '', self._values['autostart']
        self._scene: CollisionScene | None = None
        self._ticking = False
        self._hurried = False  # in the real-time class
        self._parts: list = []  # what configure opened and cleanup closes
        self._standard, self._discovery = NoStandard(), NoDiscovery()
        self._pace = Pace()
        if self._starting:
            self.autostart()

    def autostart(self) -> None:
        """configure, then activate; StartError says what was wrong."""
        for transition in (self.trigger_configure, self.trigger_activate):
            if transition() != Return.SUCCESS:
                raise StartError(self._fault)
        self._starting = False

    @property
    def ticking(self) -> bool:
        """Whether it is active."""
        return self._ticking

    @property
    def fault(self) -> str:
        """What was wrong with the last transition."""
        return self._fault

    @property
    def subscriptions(self) -> Iterator:
        """Those that the executor serves."""
        return (s for s in super().subscriptions if s not in self.polled)

    def destroy_node(self) -> None:
        """Complete a recording, too; where the end was asked for, by a signal say, leave no state."""
        self._notifier.say('STOPPING=1')
        if self._watchdog is not None:
            self._watchdog.stop()
        self._recorder.close()
        if not self.context.ok():
            self._keeper.remove()
        if self.standard is not None:
            self.standard.close()
        super().destroy_node()

    # lifecycle

    def on_configure(self, state: LifecycleState) -> Return:
        """Read parameters and world, compile, open topics and services."""
        return self._guarded(self._configure)

    def on_activate(self, state: LifecycleState) -> Return:
        """Start from the world's first state and tick."""
        return self._guarded(self._activate)

    def on_deactivate(self, state: LifecycleState) -> Return:
        """Stop ticking; inputs are still stored."""
        self._stop()
        self._keeper.remove()
        return Return.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> Return:
        """Close everything; the next configure reads the world file anew. Shutdown and errors do the same."""
        self._keeper.remove()
        self._close()
        return Return.SUCCESS

    on_shutdown = on_error = on_cleanup

    def _guarded(self, work) -> Return:
        """rclpy swallows what a transition raises: say it here. Wrong input is FAILURE, a fault of ours ERROR."""
        try:
            work()
        except (StartError, ValueError, OSError) as error:
            self._fault = str(error)
            if not self._starting:  # else the process ends with it
                self.get_logger().error(self._fault)
            self._close()
            return Return.FAILURE
        except Exception:
            self._fault = traceback.format_exc()
            if self.context.ok():  # else a signal has closed what was in use
                self.get_logger().fatal(self._fault)
            return Return.ERROR
        return Return.SUCCESS

    def _configure(self) -> None:
        log = self.get_logger()
        check_confined(self._values, 'world', 'record', 'save_world_path', 'state_file')
        settings = read_settings(self._tables, self._values)
        self._period = period_ns(self._values['rate'], settings.world.dt)
        what = kernel_cache.what_is_missing()
        with progress.reporting(lambda text: log.info(f'{settings.world.source}: {text}'), what):
            warm_up(settings.world, self._period)
        self._scene = scene = CollisionScene.from_config(settings.world)
        self._configured = {drone.name: drone.authority for drone in settings.world.drones}
        for name, values in settings.drones.items():
            if values['authority']:
                scene.set_authority(name, values['authority'])
        self._open(scene, settings)
        spare = settings.world.spare
        if not settings.drones and not spare.drones:
            log.warning('no drones: name them in the parameter drones, or in the world file')
        for name in self._tables.unknown():
            if name.startswith(('drones.',) * bool(spare.drones) + ('hands.',) * bool(spare.hands)):
                continue    # it may come
            log.warning(f'parameter {name} is unknown and has no effect: a typing error, or a drone not served?')
        log.info(
            f'ready: {len(settings.drones)} drones, {len(settings.hands)} hands, {len(settings.world.walls)} walls, '
            f'{NANOSECONDS / self._period:g} Hz{", in lockstep" if self._lockstep else ""}'
        )

    def _open(self, scene: CollisionScene, settings: Settings) -> None:
        self._grid = TickGrid(self._period, round(CLOCK_RESET * NANOSECONDS))
        self._lockstep: LockstepTicks | None = None
        self._tick: Tick | None = None  # the last
        self._stats = TickStats(self._period / NANOSECONDS)
        self._missed = self._keep(lambda _: MissedTicks(self._period / NANOSECONDS))
        self._overruns = self._event_count = 0
        self._inputs = self._keep(Inputs, scene, settings)
        self.guard.ledger = self._inputs.adapter.ledger
        if settings.node['pace'] == 'lockstep':
            self._lockstep = self._keep(LockstepTicks, scene, settings, self._inputs.adapter, self._period)
        self._outputs = self._keep(Outputs, scene, settings)
        self._strikes = self._keep(RotorStrikeTopics, scene, settings)
        self._imus = self._keep(ImuTopics, scene, settings, self._inputs.adapter.ledger)
        self._view = self._keep(MarkerView, scene, settings)
        self._transforms = self._keep(TfOutput, scene, settings) if settings.node['publish_tf'] else None
        self._reporter = self._keep(Reporter, scene, settings, self._inputs.adapter)
        self._recorder = self._keep(open_recorder, scene, settings, self._inputs, self._tables.values)
        self._keeper = self._keep(open_state_keeper, scene, settings, self._tables.values, self._inputs.adapter.ledger,
                                  self._pace)
        given = self._tables.given()
        self._spawned = self._keep(SpawnedTopics, scene, settings, self._inputs, self._drone_parts(), given,
                                   self._recorder)
        self._discovery = self._keep(open_discovery, scene, settings, self._inputs, self._recorder, given)
        self._watchdog = self._keep(Watchdog, settings, self.guard, self._notifier)
        self._paused = self._keep(PausedTopic, self._pace)
        self._roster = self._keep(RosterTopic, scene)
        self._keep(Services, scene, self._recorder, self._pace, self._paused, self._start_anew, self._values)
        self._standard = self._keep(open_standard, scene, settings, self._inputs, recorder=self._recorder,
                                    pace=self._pace, start_anew=self._start_anew, values=self._values)

    def _drone_parts(self) -> dict[str, DronePart]:
        """By name, what has something of its own for each drone."""
        parts = {'odom_corrected': self._outputs, 'simulators': self._outputs.simulators,
                 'rotor_strikes': self._strikes, 'imu': self._imus}
        return parts if self._transforms is None else {**parts, 'publish_tf': self._transforms}

    def _keep(self, part, *args, **named):
        self._parts.append(part(self, *args, **named))
        return self._parts[-1]

    def _activate(self) -> None:
        # a full garbage collection looks at everything imported and compiled, for as long as twenty ticks; nothing of
        # that ever goes
        gc.collect()
        gc.freeze()
        self._pace.clear()
        self._start_anew()
        self._go_on()
        self._grid.clear()
        if self._lockstep is not None:
            self._lockstep.clear()
        if self._values['realtime_priority']:
            self._hurried = real_time(self._values['realtime_priority'], self.get_logger().warning)
        self._watchdog.start()
        self._ticking = True

    def _go_on(self) -> None:
        """From a state that was saved, where there is one: with the authorities of then, which parameters show."""
        state = self._keeper.restore()
        if not state:
            return
        self._recorder.restored(state)
        names = {code: name for name, code in CODES.items()}
        for name, code in zip(self._scene.drone_names, self._scene.authorities().tolist(), strict=True):
            if self.has_parameter(full := f'drones.{name}.authority') and names[code] != (
                    self.get_parameter(full).value or self._configured[name]):
                self.set_parameters([Parameter(full, value=names[code])])

    def _stop(self) -> None:
        if self._ticking:
            self._ticking = False
            self._pace.clear('the node was deactivated')
            self._stats.pause()
            self._missed.pause()
            self._watchdog.stop()
        if self._hurried:
            ordinary()
            self._hurried = False

    def _close(self) -> None:
        self._stop()
        gc.unfreeze()
        for part in self._parts:
            part.close()
        self._parts, self._scene = [], None
        self._standard, self._discovery = NoStandard(), NoDiscovery()

    # the tick

    def rest(self) -> float | None:
        """s until the next tick, 0 where it is due; None where it needs an activation or a message of /clock. One that
        leaves ends the loop that asks, as a context does that was shut down."""
        if self.leaves:
            raise ExternalShutdownException
        if not self._ticking:
            self._notifier.alive()
            return None
        self._watchdog.beat()
        if self._lockstep is not None:
            return self._lockstep.rest()
        clock = self.get_clock()
        now = clock.now().nanoseconds
        if clock.ros_time_is_active:
            return 0.0 if self._grid.due(now) else None
        return self._grid.rest(now) / NANOSECONDS

    def tick(self) -> None:
        """Read the inputs, advance the scene to the grid point that has come, and publish.  In lockstep: where all
        inputs of the next one have come."""
        if self._lockstep is not None:
            self._look()
            return
        first, jumps, missed = self._grid.last is None, self._grid.jumps, self._grid.missed
        now = self.get_clock().now().nanoseconds
        stamp = self._grid.stamp(now)
        if stamp is None:  # the clock went back a little since the tick was due
            return
        part = self.guard.run
        part('recorder', self._recorder.begin, now)
        self.guard.begin()
        self._missed.begin(self._grid.missed - missed, (now - stamp) / NANOSECONDS)
        self._stats.begin()
        part('newcomers', self._spawned.close_left)
        part('tf', self._inputs.ask_tf, now)
        part('inputs', self._inputs.read, now)
        self._run(stamp, first, jumps)

    def _look(self) -> None:
        """In lockstep: read the inputs; a tick, if one is due."""
        part, received = self.guard.run, self._inputs.adapter.received
        first, skipped = self._lockstep.barrier.last is None, self._lockstep.barrier.skipped
        part('recorder', self._recorder.begin, now := self.get_clock().now().nanoseconds)
        part('newcomers', self._spawned.close_left)
        part('inputs', self._inputs.read, now)
        found = self._lockstep.look()
        if found.is_reset:
            self._set_back(found.stamp)
        elif found.stamp is None:
            if self._inputs.adapter.received != received:
                part('recorder', self._recorder.end)
            if self._lockstep.is_told and self._tick is not None:
                part('diagnostics', self._reporter.publish, self._tick, self.health())
            part('newcomers', self._look_for_newcomers, now)
        else:
            self.guard.begin()
            self._missed.begin(self._lockstep.barrier.skipped - skipped, 0.0)
            self._stats.begin()
            self._run(found.stamp, first, self._grid.jumps)

    def _set_back(self, stamp: int) -> None:
        """The simulator began anew: start anew a period before its first stamp, which it will send again."""
        self.get_logger().warning(f'the simulator was set back to {stamp} ns: the scene starts anew')
        self._grid.jumps += 1
        self.guard.begin()
        self._missed.begin(0, 0.0)
        self._stats.begin()
        self.guard.run('scene', self._start_anew)
        self._run(stamp - self._period, True, self._grid.jumps)

    def _run(self, stamp: int, first: bool, jumps: int) -> None:
        """A tick after its inputs were read."""
        part = self.guard.run
        tick = part('scene', self._advance, stamp)
        if self._grid.jumps > jumps:
            self.get_logger().warning('the clock was set back: the scene starts anew')
            part('scene', self._start_anew)
        if tick is not None:
            self._tick = tick
            part('state', self._keeper.report, tick)
            self._publish(tick)
            # the time since an earlier activation was never due
            self._overruns += 0 if first else tick.overrun_steps
            self._event_count += len(tick.events) + len(tick.constraint_events)
            part('diagnostics', self._report, tick, stamp)
            part('recorder', self._recorder.saw, tick)
            part('state', self._keeper.saw, stamp)
            part('simulation_interfaces', self._standard.saw, tick)
        part('recorder', self._recorder.end)
        part('steps', self._pace.tell)
        part('newcomers', self._look_for_newcomers, stamp)
        self._stats.end()
        self._missed.end(self.guard.longest)

    def _look_for_newcomers(self, stamp: int) -> None:
        """When everything of a tick has been sent: one step at most, it takes milliseconds."""
        self._roster.tell()
        if self._spawned.is_idle:
            self._discovery.look(stamp)
        else:
            self._spawned.open_next()

    def _advance(self, stamp: int) -> Tick:
        advances = self._pace.wants and not self._keeper.waits(stamp) and self._pace.advances()
        tick = self._scene.advance(stamp) if advances else self._scene.hold(stamp)
        self._recorder.add('advance' if advances else 'hold', stamp)
        return tick

    def _publish(self, tick: Tick) -> None:
        """Every output by itself: one that fails takes no other with it."""
        part = self.guard.run
        part('imu', self._imus.publish, tick)
        for name, publish in self._outputs.parts:
            part(name, publish, tick)
        part('paused', self._paused.tell)
        part('rotor_strikes', self._strikes.publish, tick)
        part('markers', self._view.publish, tick, self._values['markers_rate'])
        if self._transforms is not None:
            part('publish_tf', self._transforms.publish, tick)

    def _report(self, tick: Tick, stamp: int) -> None:
        if self._reporter.due(stamp, self._values['proximity']):
            self._reporter.publish(tick, self.health())
            self._missed.look()

    def _start_anew(self) -> None:
        self._inputs.forget()
        self._imus.forget()
        self._discovery.forget()
        self._scene.reset()
        self._recorder.add('restart')
        if self._lockstep is not None:
            self._lockstep.clear()
        self._keeper.hurry()
        self._standard.forget()

    def health(self) -> Health:
        """The counters of inputs (the scene's and those only ROS knows), times and energy as they are now."""
        scene, inputs = self._scene, self._inputs.adapter
        return Health(
            timing=self._stats.summary(),
            period=self._period,
            missed=self._grid.missed + (self._lockstep.barrier.skipped if self._lockstep else 0),
            missed_by=self._missed.counts,
            overrun_steps=self._overruns,
            clock_jumps=self._grid.jumps,
            received=inputs.received,
            counters={**scene.counters, **inputs.ledger.counters},
            last={**scene.last_rejected, **inputs.ledger.last},
            drones=len(scene.drone_index),
            hands=len(scene.hand_names),
            hand_ages=inputs.hands.ages(),
            events=self._event_count,
            energy=float(scene.world.energy()),
            engine=scene.world.stats(),
            paused=self._pace.paused,
            hangs=self._watchdog.hangs,
            longest_hang=self._watchdog.longest,
            saved={**self._keeper.summary(), **self._discovery.summary()},
        )

    # parameters

    def _check_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        """Refuse an authority that the scene cannot give: the world may be another one than when it was declared."""
        for parameter in parameters:
            name = parameter.name.removeprefix('drones.').removesuffix('.authority')
            if parameter.name != f'drones.{name}.authority' or self._scene is None:
                continue
            if name not in self._configured:
                return SetParametersResult(successful=False, reason=f'{parameter.name}: there is no drone {name!r} now')
            if (parameter.value or self._configured[name]) not in AUTHORITIES:
                reason = f'{parameter.name}: must be one of {", ".join(AUTHORITIES)}, got {str(parameter.value)[:40]!r}'
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

    def _on_parameters(self, parameters: list[Parameter]) -> None:
        for parameter in parameters:
            self._values.update({parameter.name: parameter.value} if parameter.name in self._values else {})
            name = parameter.name.removeprefix('drones.').removesuffix('.authority')
            if parameter.name == f'drones.{name}.authority' and self._scene is not None:
                self.guard.run('authority', self._set_authority, name, parameter.value)

    def _set_authority(self, name: str, authority: str) -> None:
        authority = authority or self._configured[name]
        self._scene.set_authority(name, authority)
        self._recorder.add('authority', name, authority)


def main(args: list[str] | None = None) -> int:
    """Run the node until Ctrl-C or SIGTERM; the exit code is 1 where it could not start."""
    return run(CollisionNode, args)


if __name__ == '__main__':
    raise SystemExit(main())
