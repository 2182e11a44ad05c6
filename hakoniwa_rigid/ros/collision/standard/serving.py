# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the standard services have in common: the run they act on, a line for each, and results.

The services are open from the first configure to the node's end, through a cleanup too: one that closed in a request of
its own could not answer it.  In between they say that there is no world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from simulation_interfaces.msg import Result

from hakoniwa_rigid.brief import cut
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.entities.entities import Entities
from hakoniwa_rigid.scene.errors import EntityError, UnknownEntityError
from hakoniwa_rigid.scene.frames.frames import Frames
from hakoniwa_rigid.scene.parameters.settings import Values

from ..pace import Pace
from ..recorder import Recorder

__all__ = ['RefusedError', 'Run', 'Service', 'answer', 'serve']

# letters of a sentence in an answer
MOST_SENTENCE = 400


@dataclass(frozen=True)
class Run:
    """A configured node.  frames: those of inputs; start_anew: brings scene and inputs to their start; values: the
    parameters."""

    scene: CollisionScene
    entities: Entities
    frames: Frames
    recorder: Recorder
    pace: Pace
    start_anew: Callable[[], None]
    values: Values


class Service(NamedTuple):
    """A service of the standard: its type, its method `(run, request, response)`, the features, by the names of
    SimulatorFeatures, that it stands for; whether it answers without a world, run None, too."""

    kind: str
    method: Callable
    features: tuple[str, ...] = ()
    is_always_on: bool = False

    @property
    def name(self) -> str:
        """GetEntities -> get_entities."""
        return ''.join(f'_{c.lower()}' if c.isupper() else c for c in self.kind).strip('_')


class RefusedError(Exception):
    """A request that gets this code and sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def answer(result, code: int, sentence: str = ''):
    """Fill a Result."""
    result.result, result.error_message = code, cut(sentence, MOST_SENTENCE)


def serve(node, run_of: Callable[[], Run | None], service: Service) -> Callable:
    """The callback of a service: results of what its method raises; RESULT_OK where it raises nothing."""
    def on_request(request, response):
        result = getattr(response, 'result', None) or Result()
        answer(result, Result.RESULT_OK)
        try:
            if (run := run_of()) is None and not service.is_always_on:
                raise RefusedError(Result.RESULT_INCORRECT_STATE, 'there is no world: the node is not configured')
            service.method(run, request, response)
        except RefusedError as error:
            answer(result, error.code, str(error))
        except UnknownEntityError as error:
            answer(result, Result.RESULT_NOT_FOUND, str(error))
        except EntityError as error:
            answer(result, Result.RESULT_OPERATION_FAILED, str(error))
        except Exception as error:
            node.guard.note('simulation_interfaces', error)
            answer(result, Result.RESULT_OPERATION_FAILED, f'an error of the node, which its log has: {error!r}')
        return response

    return on_request
