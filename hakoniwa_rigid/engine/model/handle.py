"""All arrays of a world as the one address that the kernels of a step hand on."""
from ..maths.handle import handle_reader, table_maker
from .convex import CONVEX
from .records import BODY_FLAGS, CONTACT_POINT, COUNTERS, PAIR_FLAGS, PAIR_MOTION, SETTINGS, SOLVER_BODY

# kind, number of dimensions and Record of every array, in the order of the table (model/arrays.py says what they are)
_KINDS = dict(
    block='f2', todo='i2', body=('i2', BODY_FLAGS), travel='f2', close='i1', load='f3', tensor='f2', geom='f2',
    geom_i='i2', beside='f2', excluded='i1', anchor='f2', material='f2', curve='f2', special='i1', pending='f2',
    profile='f2', convex=CONVEX, bucket='i1', ball='f2', cell='i2', pairs='i3', clear='f2', work=('f2', SOLVER_BODY),
    pair_i=('i2', PAIR_FLAGS), pair_f=('f2', PAIR_MOTION), row=('f2', CONTACT_POINT), adjacent='i1', island='i1',
    cache='f3', last='f2', still='f2', rest='f2', manifold='f2', clip='f3', out='f2', count=('i1', COUNTERS),
    par=('f1', SETTINGS))
table_of = table_maker(_KINDS)
arrays_at = handle_reader('Arrays', _KINDS)
