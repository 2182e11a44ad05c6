// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What a group no longer shows is given back to the graphics card. */
import { InstancedMesh, type BufferGeometry, type Group, type Material, type Object3D } from 'three';

type Drawn = Object3D & { geometry?: BufferGeometry; material?: Material | Material[] };

/** Takes everything out of a group. */
export function emptied(group: Group): void {
  group.traverse((object: Drawn) => {
    object.geometry?.dispose();
    const { material } = object;
    for (const each of Array.isArray(material) ? material : material ? [material] : []) each.dispose();
    if (object instanceof InstancedMesh) object.dispose();
  });
  group.clear();
}
