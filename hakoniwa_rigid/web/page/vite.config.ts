// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vitest/config';

// `npm run dev` shows a page that follows edits; a running viewer node gives it the data
const NODE = process.env.HAKONIWA_NODE ?? 'http://127.0.0.1:8765';

export default defineConfig({
  base: './',
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 1000,   // kB; three.js alone is 700
  },
  server: { proxy: { '/ws': { target: NODE, ws: true } } },
  test: { include: ['test/unit/*.test.ts'] },
});
