# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Steps of a paused scene: the service StepSimulation, answered when they are done, and the action SimulateSteps.

A step is a tick.  Nothing waits for one: callbacks are coroutines that the end of the last tick wakes.
"""

from __future__ import annotations

from collections.abc import Callable

from rclpy.action import ActionServer, CancelResponse
from rclpy.task import Future
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
        # the steps of goals that are carried out, and whose pace they keep
        self._goals: dict[bytes, tuple[Pace, Steps]] = {}
        node.create_service(StepSimulation, '~/step_simulation', self._on_steps)
        self._action = ActionServer(node, SimulateSteps, '~/simulate_steps', self._on_goal,
                                    cancel_callback=self._on_cancel)

    def close(self) -> None:
        """The node ends."""
        self._action.destroy()

    async def _on_steps(self, request: StepSimulation.Request, response: StepSimulation.Response):
        await self._carry_out(request.steps, response.result, lambda pace, steps: None, lambda steps: None)
        return response

    async def _on_goal(self, goal) -> SimulateSteps.Result:
        found, key = SimulateSteps.Result(), bytes(goal.goal_id.uuid)

        def begun(pace: Pace, steps: Steps) -> None:
            self._goals[key] = pace, steps
            if goal.is_cancel_requested:
                pace.drop(steps, 'the goal was canceled')

        def told(steps: Steps) -> None:
            if not steps.fault:
                goal.publish_feedback(SimulateSteps.Feedback(completed_steps=steps.completed,
                                                             remaining_steps=steps.left))

        try:
            await self._carry_out(goal.request.steps, found.result, begun, told)
        finally:
            self._goals.pop(key, None)
        if found.result.result == Result.RESULT_OK:
            goal.succeed()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        return found

    def _on_cancel(self, goal) -> CancelResponse:
        if (found := self._goals.get(bytes(goal.goal_id.uuid))) is not None:
            pace, steps = found
            pace.drop(steps, 'the goal was canceled')
        return CancelResponse.ACCEPT

    async def _carry_out(self, count: int, result, begun: Callable[[Pace, Steps], object],
                         told: Callable[[Steps], object]) -> None:
        """Run so many steps and fill the result.  begun: called before the first; told: after each, and at an end
        before the last."""
        run, over = self._run_of(), Future()

        def tell(steps: Steps) -> None:
            told(steps)
            if steps.is_over and not over.done():
                over.set_result(None)

        try:
            if run is None:
                return answer(result, Result.RESULT_INCORRECT_STATE, 'there is no world: the node is not configured')
            if run.pace.stopped:
                raise StepsError('the simulation is stopped: it has to be playing, then paused')
            steps = run.pace.ask(count, tell)
        except StepsError as error:
            return answer(result, Result.RESULT_OPERATION_FAILED, str(error))
        begun(run.pace, steps)
        await over
        if steps.fault:
            return answer(result, Result.RESULT_OPERATION_FAILED,
                          f'{steps.completed} of {steps.wanted} steps were run: {steps.fault}')
        return answer(result, Result.RESULT_OK)
