# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Steps of a paused scene: the service StepSimulation, answered when they are done, and the action SimulateSteps.

A step is a tick.  Nothing waits for one: the end of the last tick sends the answer.  No callback is a coroutine: the
EventsExecutor of Jazzy serves none, and that of Kilted calls one that waits again and again, as fast as the processor
can.  So the answer of the service is held back where the executor would send it, and a goal is executed, in the words
of rclpy, when its steps are done.
"""

from __future__ import annotations

from collections.abc import Callable

from rclpy.action import ActionServer, CancelResponse
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result
from simulation_interfaces.srv import StepSimulation

from ..pace import Pace, Steps, StepsError
from .serving import Run, answer

__all__ = ['FEATURES', 'Stepping']

FEATURES = ('STEP_SIMULATION_SINGLE', 'STEP_SIMULATION_MULTIPLE', 'STEP_SIMULATION_ACTION')


class Stepping:
    """Both, open until the node ends."""

    def __init__(self, node, run_of: Callable[[], Run | None]) -> None:
        self._run_of = run_of
        service = node.create_service(StepSimulation, '~/step_simulation', self._on_steps)
        self._answers = _HeldAnswers(service)
        # the steps of goals that are carried out, and whose pace they keep; as many as a pace has requests
        self._goals: dict[bytes, tuple[Pace, Steps]] = {}
        # what executes a goal comes with its end
        self._action = ActionServer(node, SimulateSteps, '~/simulate_steps', lambda goal: SimulateSteps.Result(),
                                    cancel_callback=self._on_cancel, handle_accepted_callback=self._on_accepted)

    def close(self) -> None:
        """The node ends."""
        self._action.destroy()

    def _on_steps(self, request: StepSimulation.Request, response: StepSimulation.Response):
        self._answers.hold(response)
        self._carry_out(request.steps, response.result, lambda steps: None, lambda: self._answers.release(response))
        return response

    def _on_accepted(self, goal) -> None:
        found, key = SimulateSteps.Result(), bytes(goal.goal_id.uuid)

        def told(steps: Steps) -> None:
            if not steps.fault:
                goal.publish_feedback(SimulateSteps.Feedback(completed_steps=steps.completed,
                                                             remaining_steps=steps.left))

        def over() -> None:
            self._goals.pop(key, None)
            goal.execute(lambda _: _ended(goal, found))

        if (going := self._carry_out(goal.request.steps, found.result, told, over)) is not None:
            self._goals[key] = going

    def _on_cancel(self, goal) -> CancelResponse:
        if (going := self._goals.get(bytes(goal.goal_id.uuid))) is not None:
            pace, steps = going
            pace.drop(steps, 'the goal was canceled')
        return CancelResponse.ACCEPT

    def _carry_out(self, count: int, result, told: Callable[[Steps], object],
                   over: Callable[[], object]) -> tuple[Pace, Steps] | None:
        """Begin so many steps; None where they cannot be.  told: called after each, and at an end before the last;
        over: called once, when the result is filled."""
        run = self._run_of()

        def tell(steps: Steps) -> None:
            told(steps)
            if steps.is_over:
                _fill(result, steps)
                over()

        try:
            if run is None:
                answer(result, Result.RESULT_INCORRECT_STATE, 'there is no world: the node is not configured')
            elif run.pace.stopped:
                raise StepsError('the simulation is stopped: it has to be playing, then paused')
            else:
                return run.pace, run.pace.ask(count, tell)
        except StepsError as error:
            answer(result, Result.RESULT_OPERATION_FAILED, str(error))
        over()
        return None


class _HeldAnswers:
    """Answers of a service that are sent later than its callback returns."""

    def __init__(self, service) -> None:
        # by identity of the response: the response, and the header that it is sent with as soon as that is known
        self._held: dict[int, list] = {}
        self._send, service.send_response = service.send_response, self._on_send

    def hold(self, response) -> None:
        """Do not send it before `release`."""
        self._held[id(response)] = [response, None]

    def release(self, response) -> None:
        """Send it: now, or when its callback returns."""
        _, header = self._held.pop(id(response))
        if header is not None:
            self._send(response, header)

    def _on_send(self, response, header) -> None:
        """What an executor calls when the callback has returned."""
        if (held := self._held.get(id(response))) is not None:
            held[1] = header
        else:
            self._send(response, header)


def _fill(result, steps: Steps) -> None:
    if steps.fault:
        answer(result, Result.RESULT_OPERATION_FAILED,
               f'{steps.completed} of {steps.wanted} steps were run: {steps.fault}')
    else:
        answer(result, Result.RESULT_OK)


def _ended(goal, found: SimulateSteps.Result) -> SimulateSteps.Result:
    """The end of a goal whose result is known."""
    if found.result.result == Result.RESULT_OK:
        goal.succeed()
    elif goal.is_cancel_requested:
        goal.canceled()
    else:
        goal.abort()
    return found
