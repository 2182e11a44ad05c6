// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** A card with lines of text, drawn once for each text. */
import { CanvasTexture, LinearFilter, Mesh, MeshBasicMaterial, PlaneGeometry, SRGBColorSpace } from 'three';

/** pixels per m, and of a letter's height */
const DENSITY = 1600;
const LETTER = 0.55;

export class Card {
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  text = '';
  private lit = false;
  private readonly canvas = document.createElement('canvas');
  private readonly texture: CanvasTexture;

  /** width, height: m; lines: how many of them fill the height. */
  constructor(readonly width: number, readonly height: number, private readonly lines: number) {
    this.canvas.width = Math.round(width * DENSITY);
    this.canvas.height = Math.round(height * DENSITY);
    this.texture = new CanvasTexture(this.canvas);
    this.texture.colorSpace = SRGBColorSpace;
    this.texture.minFilter = LinearFilter;
    const material = new MeshBasicMaterial({ map: this.texture, transparent: true, depthTest: false });
    this.mesh = new Mesh(new PlaneGeometry(width, height), material);
    this.mesh.renderOrder = 10;
  }

  /** Shows a text; lit: as a switch that is on. */
  show(text: string, lit = false): void {
    if (text === this.text && lit === this.lit) return;
    [this.text, this.lit] = [text, lit];
    const pen = this.canvas.getContext('2d')!;
    const { width, height } = this.canvas;
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = lit ? 'rgba(38, 92, 138, 0.95)' : 'rgba(15, 22, 30, 0.88)';
    pen.beginPath();
    pen.roundRect(0, 0, width, height, height / (2 * this.lines));
    pen.fill();
    const line = height / this.lines;
    const rows = text.split('\n');
    pen.fillStyle = '#eef3f8';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.font = `${Math.round(LETTER * line)}px system-ui, sans-serif`;
    const first = height / 2 - ((rows.length - 1) / 2) * line;
    rows.forEach((row, i) => pen.fillText(row, width / 2, first + i * line, 0.94 * width));
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
