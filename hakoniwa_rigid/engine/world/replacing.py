# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies that come and go while a world runs: a disabled body becomes another one.

A world has the bodies that it was built with.  Disabled ones cost next to nothing, so a world that others shall come to
is built with some to spare: those are replaced and enabled, and disabled again when they leave.
"""
import math

import numpy as np

from ..errors import EngineError
from ..model import layout as L
from ..model.materials import Material
from ..model.placing import pieces_of, placed, with_pair_materials
from ..model.solid_table import SolidTable
from ..model.stable_step import stable_step
from .constraint_view import list_joints
from .saved import Saved

__all__ = ['Replacing']

# shapes of which the rows are kept, and bodies that were checked
MOST_PIECES, MOST_SPECS = 32, 16
# types whose values their repr tells
PLAIN = frozenset((int, float, bool, str))


class Replacing:
    """A part of World."""

    _solids = None
    _replaced = None    # what bodies have become, with whom they never meet: (BodySpec, bodies) by index
    _rules = ()
    _specs = None       # checked bodies by shape, kind and settings
    _pieces = None      # of the shapes that came last, by the shape and its place in the body

    def replace_body(self, i, shape, *, name, exclude=(), **settings):
        """Body i, which is disabled and held by no constraint, becomes another one of its kind, disabled too.

        Arguments are those of WorldBuilder.add_body without `kind` and `enabled`; exclude: bodies that it never meets.
        Nothing of the others changes but that those wake which slept beside body i.  What `save` gave before needs
        `with_body`.  Cost: of a body that moves its own shapes, and copies of tables of all; of a static one a search
        among all static shapes.  Errors: EngineError naming the body, the key and the value, with nothing changed;
        CapacityError for more hulls and meshes than a world keeps.
        """
        self.replace_bodies([i], shape, names=[name], exclude=exclude, **settings)

    def replace_bodies(self, bodies, shape, *, names, exclude=(), **settings):
        """`replace_body` of several bodies of one kind that become alike, at the cost of little more than one."""
        bodies = np.array([self._body(i) for i in bodies], np.int64)
        names = list(names)
        if not 0 < len(bodies) == len(names) == len(set(names)) == len(set(bodies.tolist())):
            raise EngineError(f'replace_bodies: names: must be different ones for each body, got {len(names)} for '
                              f'{len(bodies)}')
        spec = self._spec_of(bodies, shape, names, settings)
        excluded = tuple(self._body(k) for k in exclude)
        if set(bodies.tolist()) & set(excluded):
            raise EngineError(f'{names[0]}: exclude: must be other bodies, got {bodies[0]}, itself')
        # what a body that is refused has put into the table stays there: rows that are kept of shapes count on it
        self._solids = self._solids or SolidTable(self._s)
        self._s = self._placed(self._s, bodies, spec, excluded, names[0])
        self._replaced = {**(self._replaced or {}), **dict.fromkeys(bodies.tolist(), (spec, excluded))}
        known = list(self.names)
        for i in bodies.tolist():
            self._index.pop(known[i])
        for i, name in zip(bodies.tolist(), names, strict=True):
            self._index[name], known[i], self.shapes[i] = i, name, spec.shape
        self.names = tuple(known)
        self.mass[bodies], self.com[bodies], self._axes[bodies] = spec.mass, spec.com, spec.axes
        self._inertia[bodies], self._inverse_inertia[bodies] = spec.tensor, spec.inverse_tensor
        self._turned = bool((self._axes[:, 0] != 1.0).any())

    def set_pair_materials(self, rules, wake=True):
        """What pairs of bodies have in place of their combined values, from now on, instead of all that was said
        before: rules [(bodies, bodies, settings)], settings as keywords of WorldBuilder.set_pair_material; of two
        rules for a pair the later wins.  wake: False where nothing changes for what is there, which then sleeps on.
        EngineError naming key and value."""
        checked = [([self._body(k) for k in a], [self._body(k) for k in b],
                    Material.checked('set_pair_materials', **settings)) for a, b, settings in rules]
        self._s, self._rules = with_pair_materials(self._s, checked), checked
        self._s.count[L.N_CHANGED] |= int(wake)

    def with_body(self, saved, i):
        """What `save` gave, as if body i had been from the start what `replace_body` has made of it, disabled."""
        if not isinstance(saved, Saved):
            raise EngineError(f'with_body: must be what save() gave, got {saved!r}')
        i = self._body(i)
        if i not in (self._replaced or {}):
            return saved
        shapes, names = list(saved.shapes), list(saved.joint_names)
        shapes[i] = self.shapes[i]
        joint_i = saved.arrays.joint_i
        for k in np.flatnonzero((joint_i[:, L.JI_STATE] == 1) & (joint_i[:, [L.JI_A, L.JI_B]] == i).any(axis=1)):
            joint_i[k], saved.arrays.joint[k], names[k] = 0, 0.0, None
        list_joints(saved.arrays)
        return Saved(self._placed(saved.arrays, np.array([i]), *self._replaced[i], self.names[i]), shapes, names)

    def with_pair_materials(self, saved):
        """What `save` gave, as if what `set_pair_materials` said last had been so from the start."""
        return saved._replace(arrays=with_pair_materials(saved.arrays, self._rules))

    def _spec_of(self, bodies, shape, names, settings):
        """The checked BodySpec of bodies, of whatever name."""
        for i, name in zip(bodies.tolist(), names, strict=True):
            if self._s.body[i, L.B_ENABLED]:
                raise EngineError(f'{self.names[i]}: replace_body: must be disabled')
            if self._s.body[i, L.B_JOINT]:
                raise EngineError(f'{self.names[i]}: replace_body: is held by a constraint')
            if self._index.get(name, i) not in bodies:
                raise EngineError(f'{name}: name: already taken by body {self._index[name]}')
            if self.kinds[i] != self.kinds[bodies[0]]:
                raise EngineError(f'{name}: replace_bodies: must be {self.kinds[bodies[0]]} like the first, got '
                                  f'{self.kinds[i]}')
        for key in ('kind', 'enabled'):
            if key in settings:
                raise EngineError(f'{names[0]}: {key}: stays as it is in replace_body, got {settings[key]!r}')
        kind, plain = self.kinds[bodies[0]], all(type(v) in PLAIN for value in settings.values()
                                                 for v in (value if type(value) is tuple else (value,)))
        if not plain:
            return self._spec_from(kind, shape, names[0], settings)
        key = id(shape), kind, repr(settings)   # tells -0.0 from 0.0, and 1 from True
        self._specs = {} if self._specs is None else self._specs
        return _remembered(self._specs, MOST_SPECS, key, lambda: self._spec_from(kind, shape, names[0], settings))

    def _spec_from(self, kind, shape, name, settings):
        from .builder import WorldBuilder  # late: it builds worlds
        storage = 'tensor' if self._s.par[L.F_STORAGE] == L.FULL else 'principal'
        builder = WorldBuilder(inertia_storage=storage)
        return builder.spec_of(builder.add_body(shape, name=name, kind=kind, enabled=False, **settings))

    def _placed(self, s, bodies, spec, excluded, name):
        """Arrays with bodies; EngineError where the step is too long for them."""
        pieces = self._pieces_of(spec)
        if math.isfinite(self.stable_dt):
            trial = s._replace(**{k: v.copy() for k, v in s._asdict().items() if k != 'convex'})
            longest = stable_step(placed(trial, bodies, spec, pieces, self._solids.convex, excluded), self._springs)
            if self.dt > longest:
                raise EngineError(f'{name}: replace_body: the step, {self.dt:g} s, is above the stable limit '
                                  f'{longest:.6g} s of the springs with this body')
            self.stable_dt = longest
        return placed(s, bodies, spec, pieces, self._solids.convex, excluded)

    def _pieces_of(self, spec):
        """Of drones of one model once."""
        self._pieces = {} if self._pieces is None else self._pieces
        key = id(spec.shape), spec.kind, spec.com.tobytes(), spec.axes.tobytes()
        # with the shape: no other gets its id
        return _remembered(self._pieces, MOST_PIECES, key, lambda: (spec.shape, pieces_of(spec, self._solids)))[1]


def _remembered(table, most, key, make):
    """table[key], made where it is not there; the oldest goes where there are `most`."""
    if key not in table:
        made = make()
        if len(table) >= most:
            table.pop(next(iter(table)))
        table[key] = made
    return table[key]
