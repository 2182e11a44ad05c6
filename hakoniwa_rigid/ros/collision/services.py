# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The services of the node: reset, contacts on and off, pause and step, attach and detach, what comes and leaves,
save the world."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger

from hakoniwa_rigid.files import write_whole
from hakoniwa_rigid.scene import CollisionScene, ConstraintError, SpawnError
from hakoniwa_rigid.scene.parameters.settings import Values
from hakoniwa_rigid.srv import Attach, Change, Detach, Remove, Spawn

from ..confined import check_confined
from ..errors import StartError
from ..qos import LATCHED, advertise
from .pace import Pace, StepsError, set_paused
from .recorder import Recorder
from .spawning import add, remove

__all__ = ['PausedTopic', 'Services']

# fields of srv/Attach of which 0 or '' is not given; those that are none or three numbers; what collide says
GIVEN = ('name', 'length', 'restitution', 'stiffness', 'damping', 'max_force', 'max_torque', 'break_force',
         'break_impulse', 'gap')
VECTORS = ('anchor_a', 'anchor_b', 'axis')
COLLIDE = {Attach.Request.DEFAULT: None, Attach.Request.YES: True, Attach.Request.NO: False}


class PausedTopic:
    """`~/paused`: whether the scene stands still, kept for readers that come later."""

    def __init__(self, node, pace: Pace) -> None:
        self._node, self._pace = node, pace
        self._out = advertise(node, Bool, '~/paused', LATCHED)
        self._told: bool | None = None

    def close(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._out)

    def tell(self) -> None:
        """Publish it where it has changed."""
        if self._pace.paused != self._told:
            self._told = self._pace.paused
            self._out.publish(Bool(data=self._told))


class Services:
    """The services of one configured node; `close` ends them."""

    def __init__(self, node, scene: CollisionScene, recorder: Recorder, pace: Pace, paused: PausedTopic,
                 start_anew: Callable[[], None], values: Values) -> None:
        """start_anew: brings scene and inputs to their start.  values: the node's parameters as they are now."""
        self._node, self._scene, self._recorder, self._pace = node, scene, recorder, pace
        self._paused, self._start_anew, self._values = paused, start_anew, values
        self._services = [
            node.create_service(Trigger, '~/reset', self._on_reset),
            node.create_service(SetBool, '~/set_enabled', self._on_set_enabled),
            node.create_service(SetBool, '~/set_paused', self._on_set_paused),
            node.create_service(Trigger, '~/step', self._on_step),
            node.create_service(Trigger, '~/save_world', self._on_save_world),
            node.create_service(Trigger, '~/snapshot', self._on_snapshot),
            node.create_service(Attach, '~/attach', self._on_attach),
            node.create_service(Detach, '~/detach', self._on_detach),
            node.create_service(Spawn, '~/spawn', self._on_spawn),
            node.create_service(Change, '~/change', self._on_change),
            node.create_service(Remove, '~/remove', self._on_remove),
        ]

    def close(self) -> None:
        """Destroy the services."""
        for service in self._services:
            self._node.destroy_service(service)
        self._services.clear()

    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._start_anew()
        response.success, response.message = True, 'the scene is as in the world file'
        return response

    def _on_set_enabled(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._scene.set_enabled(request.data)
        self._recorder.add('enable', request.data)
        response.success, response.message = True, f'contacts are {"on" if request.data else "off"}'
        return response

    def _on_set_paused(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        set_paused(self._pace, self._scene, self._recorder, request.data)
        self._paused.tell()
        response.success = True
        response.message = 'the scene stands still, time goes on' if request.data else 'the scene goes on'
        return response

    def _on_step(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            self._pace.ask(1)
            response.success, response.message = True, 'one tick'
        except StepsError as error:
            response.success, response.message = False, str(error)
        return response

    def _on_snapshot(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = self._recorder.snapshot()
        return response

    def _on_attach(self, request: Attach.Request, response: Attach.Response) -> Attach.Response:
        def attach():
            name = self._scene.attach(**attach_arguments(request))
            # as it was taken: the name that was chosen, numbers and not arrays
            self._recorder.add('attach', self._scene.attached_config(name))
            return name
        return answered(attach, response)

    def _on_detach(self, request: Detach.Request, response: Detach.Response) -> Detach.Response:
        def detach():
            self._scene.detach(request.name)
            self._recorder.add('detach', request.name)
            return f'{request.name} was let go'
        return answered(detach, response)

    def _on_spawn(self, request: Spawn.Request, response: Spawn.Response) -> Spawn.Response:
        def spawn():
            config = self._scene.entry_config(request.kind, self._scene.entry_from_text(request.entry))
            add(self._scene, self._recorder, request.kind, config)
            return config.name
        return answered(spawn, response)

    def _on_change(self, request: Change.Request, response: Change.Response) -> Change.Response:
        def change():
            keys = self._scene.entry_from_text(request.entry)
            self._scene.change(request.name, **keys)
            self._recorder.add('change', request.name, keys)
            return request.name
        return answered(change, response)

    def _on_remove(self, request: Remove.Request, response: Remove.Response) -> Remove.Response:
        def leave():
            remove(self._scene, self._recorder, request.name)
            return request.name
        return answered(leave, response)

    def _on_save_world(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        text, path = self._scene.save_world(), self._values['save_world_path']
        response.success, response.message = True, text
        if path:
            try:
                check_confined(self._values, 'save_world_path')  # a link may have come since the start
                write_whole(Path(path).expanduser(), text)
                response.message = f'saved to {path}'
            except (OSError, StartError) as error:
                response.success, response.message = False, f'parameter save_world_path: {error}'
        return response


def answered(work: Callable[[], str], response):
    """The answer of a service: what the work gave, or what was wrong."""
    try:
        response.success, response.message = True, work()
    except (ConstraintError, SpawnError) as error:
        response.success, response.message = False, str(error)
    return response


def attach_arguments(request: Attach.Request) -> dict[str, object]:
    """What CollisionScene.attach takes.  ConstraintError for a word that collide does not have."""
    values: dict[str, object] = {key: getattr(request, key) for key in ('kind', 'body_a', 'body_b')}
    values |= {key: value for key in GIVEN if (value := getattr(request, key))}
    values |= {key: list(value) for key in VECTORS if len(value := getattr(request, key))}
    if request.collide not in COLLIDE:
        raise ConstraintError(f'attach: collide: must be one of {", ".join(map(str, COLLIDE))}, got {request.collide}')
    return values | {'collide': COLLIDE[request.collide]}
