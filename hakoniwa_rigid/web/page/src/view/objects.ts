// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Free objects: balls, boxes, whatever the world has. */
import { Group, Mesh, MeshLambertMaterial } from 'three';

import type { ObjectPoses, Scene } from '../wire/messages';
import { emptied } from './dispose';
import { OBJECT } from './palette';
import { bodyGeometry } from './shapes';

export class Objects {
  readonly group = new Group();
  private readonly meshes = new Map<string, Mesh>();
  private drawn: ObjectPoses | undefined;

  show(scene: Scene): void {
    emptied(this.group);
    this.meshes.clear();
    this.drawn = undefined;
    const material = new MeshLambertMaterial({ color: OBJECT });
    for (const { name, parts, position, orientation_xyzw: turn } of scene.objects) {
      const mesh = new Mesh(bodyGeometry(parts), material);
      mesh.visible = position !== undefined;   // its start, until it is received
      mesh.position.fromArray(position ?? [0, 0, 0]);
      mesh.quaternion.fromArray(turn ?? [0, 0, 0, 1]);
      mesh.castShadow = mesh.receiveShadow = true;
      this.meshes.set(name, mesh);
      this.group.add(mesh);
    }
  }

  update(poses: ObjectPoses | undefined): void {
    if (!poses || poses === this.drawn) return;
    this.drawn = poses;
    poses.names.forEach((name, i) => {
      const mesh = this.meshes.get(name);
      if (!mesh) return;
      mesh.position.fromArray(poses.positions[i]!);
      mesh.quaternion.fromArray(poses.orientations_xyzw[i]!);
      mesh.visible = true;
    });
  }
}
