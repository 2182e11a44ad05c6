"""All arrays of a world as the one address that the kernels of a step hand on."""
from ..maths.handle import handle_reader, table_maker
from .convex import CONVEX

# kind and number of dimensions of every array, in the order of the table (model/arrays.py says what they are)
_KINDS = dict(
    block='f2', todo='i2', body='i2', travel='f2', close='i1', load='f3', tensor='f2', geom='f2', geom_i='i2',
    beside='f2', excluded='i1', anchor='f2', material='f2', curve='f2', special='i1', pending='f2', profile='f2',
    convex=CONVEX, bucket='i1', ball='f2', cell='i2', pairs='i3', clear='f2', work='f2', pair_i='i2', pair_f='f2',
    row='f2', adjacent='i1', island='i1', cache='f3', last='f2', still='f2', rest='f2', manifold='f2', clip='f3',
    out='f2', count='i1', par='f1')
table_of = table_maker(_KINDS)
arrays_at = handle_reader('Arrays', _KINDS)
