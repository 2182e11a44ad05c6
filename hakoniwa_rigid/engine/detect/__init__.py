"""Which shapes may touch, where, and when.  Reads body states and shapes, writes contact rows; knows no forces.

A manifold row is (point, unit normal a->b, gap, feature): gap > 0 apart, < 0 overlapping; the point lies midway between
the two surfaces along the normal.
"""
