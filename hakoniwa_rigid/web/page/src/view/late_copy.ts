// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Pictures that a processor draws come to the page when they are done.
 *
 * A browser without a graphics card puts its pages together by the processor. It reads a WebGL canvas of the page back
 * at every picture and waits for it on the page's own thread: no message, no pointer and no timer meanwhile, for all
 * of the time that drawing takes. So pictures are drawn in a canvas that the page does not show, read without waiting
 * (a pixel buffer, and a fence behind it), and put into the one that it shows.
 */

/** ms between two looks at the fence, and ms after which a picture is given up: its context is lost, most likely */
const LOOK = 4;
const PATIENCE = 10_000;

export class LateCopy {
  /** whether a picture is being drawn */
  busy = false;
  private readonly pen: CanvasRenderingContext2D;
  private readonly buffer: WebGLBuffer;
  private image = new ImageData(1, 1);
  private pixels = new Uint8Array(0);

  /** From the canvas of `gl` to the one that is shown. */
  constructor(private readonly gl: WebGL2RenderingContext, private readonly shown: HTMLCanvasElement) {
    this.pen = shown.getContext('2d', { alpha: false, willReadFrequently: true })!;
    this.buffer = gl.createBuffer();
  }

  /** Copies what was just asked to be drawn, once it is; then `done` is called. Not while it is busy. */
  begin(done: () => void): void {
    const { gl, pixels } = this;
    this.fit(gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.buffer);
    if (this.pixels !== pixels) gl.bufferData(gl.PIXEL_PACK_BUFFER, this.pixels.byteLength, gl.STREAM_READ);
    gl.readPixels(0, 0, this.image.width, this.image.height, gl.RGBA, gl.UNSIGNED_BYTE, 0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    this.busy = true;
    const end = performance.now() + PATIENCE;
    const look = () => {
      const state = fence ? gl.clientWaitSync(fence, 0, 0) : gl.WAIT_FAILED;
      if (state === gl.TIMEOUT_EXPIRED && performance.now() < end) {
        setTimeout(look, LOOK);
        return;
      }
      if (state === gl.CONDITION_SATISFIED || state === gl.ALREADY_SIGNALED) this.show();
      gl.deleteSync(fence);
      this.busy = false;
      done();
    };
    setTimeout(look, LOOK);
  }

  private fit(width: number, height: number): void {
    if (width === this.image.width && height === this.image.height) return;
    this.image = new ImageData(width, height);
    this.pixels = new Uint8Array(4 * width * height);
  }

  /** WebGL's rows go upwards, those of a canvas downwards. */
  private show(): void {
    const { gl, pixels, image: { data, width, height }, shown } = this;
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.buffer);
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, pixels);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    const row = 4 * width;
    for (let y = 0; y < height; y += 1) data.set(pixels.subarray((height - 1 - y) * row, (height - y) * row), y * row);
    if (shown.width !== width || shown.height !== height) [shown.width, shown.height] = [width, height];
    this.pen.putImageData(this.image, 0, 0);
  }
}
