// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Renderer, light, camera, and the room: a group whose frame is the ROS world. */
import {
  Box3, Color, Fog, Group, Matrix4, PerspectiveCamera, Scene, Vector3, WebGLRenderer, type Texture,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

import { worldFromAnchor } from '../maths/axes';
import type { Lens } from '../maths/framing';
import type { Bounds } from '../maths/label_places';
import { LateCopy } from './late_copy';
import { Light } from './light';
import { mostPictures, Pace } from './pace';
import { BACKGROUND, useTheme, type ThemeName } from './palette';
import { cheaper, firstTier, mostTriangles, TIERS, tiersBelow, type Tier } from './quality';

/** more pixels than this per CSS pixel are not seen, but cost */
const MOST_PIXELS = 2;
/** device pixels drawn at most: a wall of screens without a graphics card should stay fluent */
const MOST_DRAWN = 2560 * 1440;

/** m around a box that is looked at; CSS pixels at every side that stay free, and at the top for the title */
const MARGIN = 0.25;
const EDGE = 12;
const HEAD = 36;
/** CSS pixels, as in style.css: a page that is narrower has its hint below the title */
const NARROW = 720;
const NARROW_HEAD = 66;
/** m from the camera at which the floor begins to be, and is, lost in the background */
const HAZE = [14, 45] as const;

/** names that drivers have which draw by the processor; not every browser calls that a caveat */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** False where the processor draws: smooth edges would cost it more than all the rest. */
function hasGraphicsCard(): boolean {
  const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  const names = context?.getExtension('WEBGL_debug_renderer_info');
  const driver = names ? String(context!.getParameter(names.UNMASKED_RENDERER_WEBGL)) : '';
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null && !SOFTWARE.test(driver);
}

function head(): number {
  return innerWidth <= NARROW ? NARROW_HEAD : HEAD;
}

function affordable(): number {
  return Math.min(devicePixelRatio, MOST_PIXELS, Math.sqrt(MOST_DRAWN / (innerWidth * innerHeight)));
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(50, 1, 0.02, 200);
  readonly room = new Group();
  readonly orbit: OrbitControls;
  private readonly point = new Vector3();
  private readonly corner = new Vector3();
  private readonly toWorld = new Matrix4();
  /** those who wait for a picture, from when on it is to be begun, ms */
  private waiting: { from: number; done: () => void }[] = [];
  /** called when a picture is on the page, with the time at which it was begun, ms */
  onPicture: (begun: number) => void = () => undefined;
  /** called when pictures are made cheaper: what is drawn in another way is made anew */
  onTier: (tier: Tier) => void = () => undefined;
  tier: Tier;
  /** of all airframes, above which they are drawn of fewer */
  readonly triangles: number;
  private readonly light: Light;
  /** the tier was asked for; a headset is worn; the tier of the page meanwhile */
  private readonly fixed: boolean;
  private worn = false;
  private ofPage: Tier;
  private readonly pace: Pace;
  /** where the processor draws */
  private readonly copy: LateCopy | undefined;
  /** CSS pixels at the right and below that panels cover */
  private margins = { right: 0, bottom: 0 };

  /**
   * With `pixels`, so many are drawn per CSS pixel, however slow that is; with `pictures` so many per s at most; with
   * `quality` pictures are of that tier.
   */
  constructor(readonly canvas: HTMLCanvasElement, pixels?: number, pictures?: number, quality: string | null = null) {
    const card = hasGraphicsCard();
    this.tier = this.ofPage = firstTier(card, quality);
    this.triangles = mostTriangles(card);
    this.fixed = quality !== null;
    const drawn = card ? canvas : document.createElement('canvas');
    this.renderer = new WebGLRenderer({ canvas: drawn, antialias: card, alpha: true });
    if (!card) this.copy = new LateCopy(this.renderer.getContext() as WebGL2RenderingContext, canvas);
    this.renderer.xr.enabled = true;
    this.renderer.xr.setReferenceSpaceType('local-floor');
    this.light = new Light(this.renderer, this.tier);
    this.scene.add(this.room, this.light.group);
    this.style('dark');
    this.room.matrixAutoUpdate = false;
    this.placeRoom(new Matrix4());
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = true;
    this.orbit.maxDistance = 60;
    const most = pictures ?? mostPictures(card, navigator.hardwareConcurrency);
    const tiers = quality ? 0 : tiersBelow(this.tier);
    this.pace = new Pace(pixels ?? affordable(), pixels !== undefined, most, tiers);
    this.resize();
    addEventListener('resize', () => this.resize());
  }

  /** Puts the world's origin on an anchor (WebXR axes). */
  placeRoom(anchor: Matrix4): void {
    worldFromAnchor(anchor, this.room.matrix);
    this.room.matrixWorldNeedsUpdate = true;
    this.room.updateMatrixWorld(true);
  }

  /** Colours of a theme, from now on; what has copied those of the palette is made anew by its owner. */
  style(theme: ThemeName): void {
    useTheme(theme);
    this.light.style(theme);
    const overReality = this.scene.background === null && this.scene.fog === null && this.renderer.xr.isPresenting;
    if (!overReality) this.overReality(false);
  }

  /** What smooth surfaces mirror; nothing in the cheaper tiers. */
  get environment(): Texture | null {
    return this.light.environment;
  }

  /** What light falls on a plane of that normal (world). */
  falling(normal: Vector3): Color {
    return this.light.falling(this.point.copy(normal).transformDirection(this.room.matrixWorld));
  }

  /** What the camera sees of the page, in front of it. */
  lens(): Lens {
    const { right, bottom } = this.margins;
    return {
      focal: this.scale(), page: innerWidth, width: Math.max(80, innerWidth - right - 2 * EDGE),
      height: Math.max(80, innerHeight - bottom - 2 * EDGE - head()),
    };
  }

  /** Looks at a spot (world) from a direction (world) and a distance, m. */
  aim(spot: Vector3, from: Vector3, distance: number): void {
    this.orbit.target.copy(spot).applyMatrix4(this.room.matrixWorld);
    this.point.copy(from).normalize().multiplyScalar(distance).add(spot);
    this.camera.position.copy(this.point.applyMatrix4(this.room.matrixWorld));
    this.orbit.update();
    this.camera.updateMatrixWorld();   // what is asked of the picture before it is drawn is true of it
  }

  /** Looks at a spot (world) from a direction (world) so far away that a sphere around it is seen. */
  lookAt(spot: Vector3, from: Vector3, radius: number): void {
    // the narrower side of what is free
    const { right, bottom } = this.margins;
    const slope = Math.tan((this.camera.fov / 2) * (Math.PI / 180)) / innerHeight;
    const least = Math.max(1, Math.min(innerWidth - right, innerHeight - bottom));
    const distance = radius / Math.sin(Math.atan(slope * least));
    this.aim(spot, from, distance);
  }

  /** Looks at a box (world, m) from a direction, as near as its corners and those of a ball of `least` m allow. */
  lookAtBox(box: Box3, from: Vector3, least: number): void {
    const middle = box.getCenter(new Vector3());
    const around = box.clone().expandByScalar(MARGIN);
    around.union(new Box3().setFromCenterAndSize(middle, new Vector3().setScalar(2 * least / Math.sqrt(3))));
    let [near, far] = [0.1, around.getSize(new Vector3()).length()];
    for (let i = 0; i < 24; i += 1) {
      const radius = (near + far) / 2;
      this.lookAt(middle, from, radius);
      if (this.shows(around)) far = radius;
      else near = radius;
    }
    this.lookAt(middle, from, far);
  }

  /** Whether all corners of a box (world) are in what panels leave free. */
  private shows({ min, max }: Box3): boolean {
    this.camera.updateMatrixWorld(true);
    const { right, bottom } = this.margins;
    return [0, 1, 2, 3, 4, 5, 6, 7].every((i) => {
      this.corner.set(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z);
      const behind = this.point.copy(this.corner).applyMatrix4(this.room.matrixWorld)
        .applyMatrix4(this.camera.matrixWorldInverse).z > -this.camera.near;
      const [x, y] = this.project(this.corner);
      return !behind && x > EDGE && y > EDGE + head() && x < innerWidth - right - EDGE
        && y < innerHeight - bottom - EDGE;
    });
  }

  /** Where a spot (world) is on the page, CSS pixels. */
  project(spot: Vector3): [number, number] {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const p = this.point.copy(spot).applyMatrix4(this.room.matrixWorld).project(this.camera);
    return [left + (0.5 + 0.5 * p.x) * width, top + (0.5 - 0.5 * p.y) * height];
  }

  /** Keeps the picture centred beside a panel: at the right of a wide page, below in a narrow one (style.css). */
  beside(panel: HTMLElement, below = 0): void {
    const makeRoom = () => {
      const { left, top, width } = panel.getBoundingClientRect();
      if (width === 0) this.setMargins(0, 0);   // it is not shown
      else if (innerWidth <= NARROW) this.setMargins(0, innerHeight - top);
      else this.setMargins(innerWidth - left, below);
    };
    new ResizeObserver(makeRoom).observe(panel);
    addEventListener('resize', makeRoom);
    makeRoom();
  }

  /** Pixels of the page per unit of scale of a sprite that is of the same size at every distance. */
  scale(): number {
    return innerHeight / (2 * Math.tan((this.camera.fov / 2) * (Math.PI / 180)));
  }

  /** m, of a spot (world) ahead of the camera; negative behind it. */
  depth(spot: Vector3): number {
    return -this.point.copy(spot).applyMatrix4(this.room.matrixWorld).applyMatrix4(this.camera.matrixWorldInverse).z;
  }

  /** Sine of the angle from which a spot (world) is seen from above or below. */
  tilt(spot: Vector3): number {
    this.point.copy(spot).applyMatrix4(this.room.matrixWorld);
    const { position } = this.camera;
    return Math.abs(position.y - this.point.y) / Math.max(1e-6, this.point.distanceTo(position));
  }

  /** What of the page panels and title leave free, CSS pixels. */
  free(): Bounds {
    const { right, bottom } = this.margins;
    return { left: 4, top: EDGE + head(), right: innerWidth - right - 4, bottom: innerHeight - bottom - 4 };
  }

  /** Centres the picture in what panels at the right and below leave free, CSS pixels. */
  private setMargins(right: number, bottom: number): void {
    this.margins = { right, bottom };
    this.resize();
  }

  /** In a headset the real world is the background. */
  overReality(on: boolean): void {
    this.scene.background = on ? null : new Color(BACKGROUND);
    this.scene.fog = on ? null : new Fog(BACKGROUND, ...HAZE);
  }

  /**
   * Whether a picture is to be drawn now, ms; in a headset always: it shows every frame. What it is drawn in is chosen
   * here: what is made anew for another tier has no place before it is given the states of this picture.
   */
  due(now: number): boolean {
    const worn = this.renderer.xr.isPresenting;
    if (!worn) {
      if (this.copy?.busy || !this.pace.due(now / 1000)) return false;
      const change = this.pace.frame(now / 1000);
      if (change === 'tier') this.drawIn(cheaper(this.tier));
      else if (change) this.resize();
    }
    this.wear(worn);
    return true;
  }

  /** The camera goes where it is turned to. */
  move(): void {
    if (this.renderer.xr.isPresenting) return;
    this.orbit.update();
    this.camera.updateMatrixWorld();
  }

  /** Draws; now in ms. */
  render(now: number): void {
    this.light.follow(this.orbit.target);
    this.renderer.render(this.scene, this.camera);
    if (!this.copy || this.renderer.xr.isPresenting) this.finish(now);
    else if (!this.copy.busy) this.copy.begin(() => {
      this.pace.done((performance.now() - now) / 1000);
      this.finish(now);
    });
  }

  /** Resolves when a picture is on the page that is begun from now on. */
  shown(): Promise<void> {
    return new Promise((done) => this.waiting.push({ from: performance.now(), done }));
  }

  private finish(begun: number): void {
    this.onPicture(begun);
    const served = this.waiting.filter(({ from }) => from <= begun);
    this.waiting = this.waiting.filter(({ from }) => from > begun);
    for (const { done } of served) done();
  }

  /** Camera and what it looks at, m, world. */
  sight(camera: Vector3, target: Vector3): void {
    this.toWorld.copy(this.room.matrixWorld).invert();
    camera.setFromMatrixPosition(this.camera.matrixWorld).applyMatrix4(this.toWorld);
    target.copy(this.orbit.target).applyMatrix4(this.toWorld);
  }

  /** ms that a picture costs, the median of so many; reading a pixel waits until it is done. */
  cost(pictures: number): number {
    const context = this.renderer.getContext();
    const pixel = new Uint8Array(4);
    const costs = Array.from({ length: pictures }, () => {
      const from = performance.now();
      this.renderer.render(this.scene, this.camera);
      context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, pixel);
      return performance.now() - from;
    });
    return costs.sort((a, b) => a - b)[Math.floor(pictures / 2)] ?? NaN;
  }

  /** A headset has two pictures to draw in 11 ms: it gets the cheapest, and the page has its own again after it. */
  private wear(worn: boolean): void {
    if (worn === this.worn) return;
    this.worn = worn;
    if (this.fixed) return;
    if (worn) this.ofPage = this.tier;
    this.drawIn(worn ? TIERS.at(-1)! : this.ofPage);
  }

  private drawIn(tier: Tier): void {
    this.tier = tier;
    this.light.use(this.tier);
    this.onTier(this.tier);
  }

  private resize(): void {
    if (this.renderer.xr.isPresenting) return;
    const { innerWidth: width, innerHeight: height } = window;
    this.renderer.setPixelRatio(this.pace.ratio);
    this.renderer.setSize(width, height);
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    this.camera.aspect = width / height;
    const { right, bottom } = this.margins;
    this.camera.setViewOffset(width, height, right / 2, bottom / 2, width, height);
    this.camera.updateProjectionMatrix();
  }
}
