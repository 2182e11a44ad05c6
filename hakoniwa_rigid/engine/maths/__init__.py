"""Vectors and quaternions as tuples of floats, for use inside jitted kernels.  No arrays, no state."""
