// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Chromium without a screen or a graphics card, and what can be read off its pictures. */
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

// not --disable-gpu: every frame would then be read back on the page's own thread, and messages would wait for it
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--autoplay-policy=no-user-gesture-required', '--mute-audio',
];

/** What the browser trusts besides its own authorities: the key of one certificate (PEM file), and nothing else. */
function trusting(certificate) {
  const key = new X509Certificate(readFileSync(certificate)).publicKey.export({ type: 'spki', format: 'der' });
  return `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`;
}

/** ms, of a machine that is busy with other things; for the start, a click, a picture */
const PATIENCE = 200_000;

/** A browser whose system is dark: pictures are compared by how bright they are. */
export async function openBrowser(executablePath, viewport, certificate) {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const args = certificate ? [...FLAGS, trusting(certificate)] : FLAGS;
  const context = await chromium.launchPersistentContext(folder, {
    executablePath, args, viewport, timeout: PATIENCE, colorScheme: 'dark',
  });
  context.setDefaultTimeout(PATIENCE);
  const close = async () => {
    await context.close().catch(() => undefined);   // it may be gone already
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, close };
}

/** Reads pictures in a page of its own, so that no library for them is needed. */
export class Reader {
  static async open(context) {
    const reader = new Reader();
    reader.page = await context.newPage();
    return reader;
  }

  /** Of a box [x, y, half side] of a picture: its mean colour, the share of pixels brighter than `bright`. */
  box(png, [x, y, half], bright = 110) {
    return this.page.evaluate(async ([data, cx, cy, r, level]) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
      pen.drawImage(image, 0, 0);
      const { data: rgba } = pen.getImageData(Math.round(cx - r), Math.round(cy - r), 2 * r, 2 * r);
      const mean = [0, 0, 0];
      let bright = 0;
      for (let i = 0; i < rgba.length; i += 4) {
        mean.forEach((_, k) => (mean[k] += rgba[i + k] / (rgba.length / 4)));
        bright += Math.max(rgba[i], rgba[i + 1], rgba[i + 2]) > level ? 4 / rgba.length : 0;
      }
      return { mean, bright };
    }, [png.toString('base64'), x, y, half, bright]);
  }

  /** Share of the pixels of a box that differ between two pictures by more than 20 of 255. */
  changed(before, after, [x, y, half]) {
    return this.page.evaluate(async ([one, other, cx, cy, r]) => {
      const [a, b] = await Promise.all([one, other].map(async (data) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
        pen.drawImage(image, 0, 0);
        return pen.getImageData(Math.round(cx - r), Math.round(cy - r), 2 * r, 2 * r).data;
      }));
      let count = 0;
      for (let i = 0; i < a.length; i += 4) {
        count += [0, 1, 2].some((k) => Math.abs(a[i + k] - b[i + k]) > 20) ? 1 : 0;
      }
      return (4 * count) / a.length;
    }, [before.toString('base64'), after.toString('base64'), x, y, half]);
  }
}
