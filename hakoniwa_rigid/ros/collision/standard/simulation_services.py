# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Services about the simulation: its state, which the node's lifecycle and pace are, and resets."""

from __future__ import annotations

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import TransitionCallbackReturn
from simulation_interfaces.msg import Result, SimulationState
from simulation_interfaces.srv import ResetSimulation, SetSimulationState

from ..pace import set_paused
from .serving import RefusedError, Run, Service
from .spawn_services import remove_spawned

__all__ = ['Simulation']

State, Set, Reset = SimulationState, SetSimulationState.Response, ResetSimulation.Request
# s from the answer to QUITTING to the end: the answer has to get out
LEAVE_AFTER = 0.2
NAMES = ('STOPPED', 'PLAYING', 'PAUSED', 'QUITTING', 'NO_WORLD', 'LOADING_WORLD')
# releases before 2.0 do not have them
NO_WORLD = getattr(State, 'STATE_NO_WORLD', 4)


class Simulation:
    """The node as a simulation; `services` is what it serves.  resets: what each bit of a scope does."""

    def __init__(self, node) -> None:
        self._node, self._quitting = node, None
        self.resets = {Reset.SCOPE_SPAWNED: remove_spawned, Reset.SCOPE_STATE: lambda run: run.start_anew()}
        self.services = (
            Service('ResetSimulation', self.reset, ('SIMULATION_RESET', 'SIMULATION_RESET_STATE',
                                                    'SIMULATION_RESET_SPAWNED')),
            Service('GetSimulationState', self.get_state, ('SIMULATION_STATE_GETTING',), True),
            Service('SetSimulationState', self.set_state, ('SIMULATION_STATE_SETTING', 'SIMULATION_STATE_PAUSE'), True),
        )

    def state(self, run: Run | None) -> int:
        """Of SimulationState: not configured is NO_WORLD, configured and not active STOPPED."""
        if self._quitting is not None:
            return State.STATE_QUITTING
        if run is None:
            return NO_WORLD
        if not self._node.ticking or run.pace.stopped:
            return State.STATE_STOPPED
        return State.STATE_PAUSED if run.pace.paused else State.STATE_PLAYING

    def get_state(self, run: Run | None, request, response) -> None:
        """Whether it plays."""
        response.state.state = self.state(run)

    def reset(self, run: Run, request, response) -> None:
        """What the scope says.  Time is that of ROS, and not the node's to be reset: of SCOPE_ALL it is left out."""
        scope = request.scope
        if scope in (Reset.SCOPE_DEFAULT, Reset.SCOPE_ALL):
            for work in self.resets.values():
                work(run)
            run.scene.set_enabled(True)
            run.recorder.add('enable', True)
            response.result.error_message = 'time goes on: it is that of ROS, not of this node'
            return
        if other := scope & ~sum(self.resets):
            known = ', '.join(str(bit) for bit in sorted(self.resets))
            raise RefusedError(Result.RESULT_FEATURE_UNSUPPORTED,
                          f'scope: {other} of {scope} is not supported, nothing was reset; supported are {known}, and '
                          f'{Reset.SCOPE_DEFAULT} or {Reset.SCOPE_ALL} for all of it')
        for bit, work in self.resets.items():
            if scope & bit:
                work(run)

    def set_state(self, run: Run | None, request, response) -> None:
        """Play, pause, stop or leave."""
        now, wanted = self.state(run), request.state.state
        self._check(now, wanted)
        if wanted == State.STATE_QUITTING:
            self._quit()
        elif wanted == State.STATE_PLAYING:
            self._play(run)
        else:
            set_paused(run.pace, run.scene, run.recorder, True)
            if wanted == State.STATE_STOPPED:
                run.start_anew()
                run.pace.stopped = True

    def _check(self, now: int, wanted: int) -> None:
        """RefusedError for a way that does not exist."""
        if wanted >= len(NAMES):
            raise RefusedError(Set.INCORRECT_TRANSITION, f'state: must be from 0 to {len(NAMES) - 1}, got {wanted}')
        if wanted == now:
            raise RefusedError(Set.ALREADY_IN_TARGET_STATE, f'it is {NAMES[now]} already')
        if now == State.STATE_QUITTING or wanted not in (State.STATE_STOPPED, State.STATE_PLAYING, State.STATE_PAUSED,
                                                         State.STATE_QUITTING):
            raise RefusedError(Set.INCORRECT_TRANSITION, f'from {NAMES[now]} no request leads to {NAMES[wanted]}')
        if wanted == State.STATE_QUITTING:
            return
        if now == NO_WORLD:
            raise RefusedError(Set.INCORRECT_TRANSITION, 'there is no world: configure the node first')
        if (now, wanted) == (State.STATE_STOPPED, State.STATE_PAUSED):
            raise RefusedError(Set.INCORRECT_TRANSITION, 'it is STOPPED and has to be PLAYING before it can be PAUSED')

    def _play(self, run: Run) -> None:
        if self._node.ticking:
            set_paused(run.pace, run.scene, run.recorder, False)
        elif self._node.trigger_activate() != TransitionCallbackReturn.SUCCESS:
            raise RefusedError(Set.STATE_TRANSITION_ERROR, f'the node could not be activated: {self._node.fault}')

    def _quit(self) -> None:
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._quitting = self._node.create_timer(LEAVE_AFTER, self._leave, clock=steady)

    def _leave(self) -> None:
        """Through the end of the lifecycle."""
        self._quitting.cancel()
        self._node.trigger_shutdown()
        self._node.leaves = True
