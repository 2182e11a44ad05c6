// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The player of static pages: one plain script, so that a browser takes it from the disk, too. */
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  publicDir: 'player',
  build: {
    outDir: '../dist/player',
    emptyOutDir: true,
    cssCodeSplit: false,   // a file of its own
    target: 'es2022',
    chunkSizeWarningLimit: 1000,   // kB; three.js alone is 700
    rollupOptions: {
      input: 'src/player/main.ts',
      output: { format: 'iife', entryFileNames: 'player.js', assetFileNames: 'player[extname]' },
    },
  },
});
