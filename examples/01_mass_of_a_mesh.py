# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The mass properties of a steel bracket from a mesh file, and the same from boxes. Engine and files, no ROS."""
import argparse
import tempfile
from pathlib import Path

import numpy as np

from hakoniwa_rigid.engine import Box, Compound, Cylinder, Part, mass_properties
from hakoniwa_rigid.scene.offline import mass_picture
from hakoniwa_rigid.scene.world_files.mesh_file import load_mesh

STEEL = 7850.0                            # kg/m^3
# the bracket's outline in mm, an L; the first corner sees all others, so that triangles can fan out from it
OUTLINE = np.array([(20, 20), (20, 80), (0, 80), (0, 0), (120, 0), (120, 20)], dtype=float)
WIDTH = 40.0                              # mm, along z


def main(out=None):
    """Write the bracket as a drawing program does, in mm, and weigh it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'bracket.stl'
        write_stl(file, *extruded(OUTLINE, WIDTH))
        mesh = load_mesh(file, scale=1e-3)
    p = mass_properties(mesh, density=STEEL)
    print(f'{mesh} of steel')
    show(p)

    # the same L out of two boxes: centres in m
    boxes = Compound([(Box((0.12, 0.02, 0.04)), (0.06, 0.01, 0.02)), (Box((0.02, 0.06, 0.04)), (0.01, 0.05, 0.02))])
    q = mass_properties(boxes, density=STEEL)
    print(f'two boxes differ by {abs(q.mass - p.mass) / p.mass:.0e} in mass, '
          f'{np.abs(q.com - p.com).max():.0e} m in the centre of mass, '
          f'{np.abs(q.inertia - p.inertia).max() / p.inertia.max():.0e} in inertia')

    # a bore of 8 mm through the long leg is a part that takes mass away
    bore = Part(Cylinder(0.004, 0.02), (0.1, 0.01, 0.02), (0.5**0.5, 0.5**0.5, 0, 0), hole=True)
    r = mass_properties(Compound([boxes, bore]), density=STEEL)
    print(f'with a bore: {r.mass:.6f} kg, the centre of mass moves by {np.round((r.com - p.com) * 1e3, 4)} mm')
    about = p.inertia_about((0, 0, 0))
    print(f'about the corner instead of the centre of mass: I_zz = {about[2, 2]:.6e} kg m^2')
    if out:
        mass_picture.draw(mesh, p, out, 'bracket.stl, steel')
        print(f'picture: {out}')


def show(p):
    """Mass, centre of mass, and each principal moment with its axis."""
    print(f'mass {p.mass:.6f} kg, centre of mass {np.round(p.com, 6)} m')
    for moment, axis in zip(p.principal_moments, p.principal_axes.T, strict=True):
        print(f'  {moment:.6e} kg m^2 about {np.round(axis, 6) + 0.0}')


def extruded(outline, height):
    """Vertices and outward faces of a prism over an outline that runs counter-clockwise as seen from above."""
    n = len(outline)
    vertices = np.vstack([np.column_stack([outline, np.full(n, z)]) for z in (0.0, height)])
    sides = [face for i in range(n) for j in [(i + 1) % n] for face in ((i, j, j + n), (i, j + n, i + n))]
    caps = [face for i in range(1, n - 1) for face in ((0, i + 1, i), (n, n + i, n + i + 1))]
    return vertices, np.array(sides + caps)


def write_stl(path, vertices, faces):
    """Text STL: three corners for every triangle; readers compute the normals themselves."""
    corners = ''.join('facet normal 0 0 0\n outer loop\n' + ''.join(f'  vertex {x} {y} {z}\n' for x, y, z in triangle)
                      + ' endloop\nendfacet\n' for triangle in vertices[faces])
    path.write_text(f'solid bracket\n{corners}endsolid bracket\n')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
