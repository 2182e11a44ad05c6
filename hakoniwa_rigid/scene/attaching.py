# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints attached and let go while a scene runs, by names.  A part of CollisionScene."""
from __future__ import annotations

from collections.abc import Mapping

from .bodies import BodyTable
from .constraints.constraint_book import ConstraintBook
from .errors import ConstraintError, WorldFileError
from .hands.hand_set import HandSet
from .world_files.constraint_file import MOST_NAME, constraint_of, write_constraint
from .world_files.world_types import ConstraintConfig

__all__ = ['AttachingScene']


class AttachingScene:
    """Between two ticks; what is told of it comes with the next."""

    _book: ConstraintBook
    _hands: HandSet
    _now_ns: int | None
    _table: BodyTable

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the constraints that hold, in the order in which they were attached."""
        return self._book.names

    def constraint(self, name: str):
        """The engine's ConstraintState of a constraint: anchors, forces, whether it is taut.  ConstraintError where
        there is none of that name."""
        return self.world.constraint(self._book.number(name))

    def attach(self, kind: str, body_a: str, body_b: str, name: str | None = None, **settings) -> str:
        """Hold two bodies together from now on; returns the name of the constraint.

        kind and settings are those of the engine's `attach` and of `constraints:` in world files; bodies are drones,
        objects, walls and hands by name, of a hand also a part, as 'right/palm': the palm, or the box or sphere of a
        single pose, where none is named.  Anchors are in the frame of the body's shape (base_link of a drone).
        ConstraintError names key and value; nothing has changed then.
        """
        given = {'name': self._free_name() if name is None else name, 'kind': kind, 'body_a': body_a, 'body_b': body_b}
        return self.attach_config(self.constraint_config({**settings, **given}))

    @staticmethod
    def constraint_config(values: Mapping[str, object]) -> ConstraintConfig:
        """A constraint by the keys of world files.  ConstraintError names key and value."""
        try:
            return constraint_of(dict(values), 'attach')
        except WorldFileError as error:
            raise ConstraintError(str(error)) from None

    def attached_config(self, name: str) -> dict[str, object]:
        """By the keys of world files, how a constraint was attached: what `constraint_config` takes."""
        return write_constraint(self._book.running[self._book.number(name)].config)

    def attach_config(self, config: ConstraintConfig) -> str:
        """`attach` of a constraint that was read."""
        ends = [self._end_of(key, getattr(config, key)) for key in ('body_a', 'body_b')]
        bodies, parts = zip(*ends, strict=True)
        return self._book.attach(config, bodies, parts, self._now_ns)

    def detach(self, name: str) -> None:
        """Let go of a constraint.  ConstraintError where there is none of that name."""
        self._book.detach(name, self._now_ns)

    def _free_name(self) -> str:
        taken, k = set(self._book.names), self._book.next_id
        while f'constraint{k}' in taken:
            k += 1
        return f'constraint{k}'

    def _end_of(self, key: str, name: str) -> tuple[int, str]:
        """The engine's body of a name, and the part, of a hand."""
        if name in self._table.index:
            return self._table.index[name], ''
        hand, _, part = name.partition('/') if name not in self._hands else (name, '', '')
        if hand not in self._hands:
            raise ConstraintError(f'attach: {key}: no such drone, object, wall or hand, got {name[:MOST_NAME]!r}')
        return self._hands.end_of(key, hand, part)
