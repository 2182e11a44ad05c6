// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The headset: a session with passthrough where offered, its hands to the node, the room where it was put. */
import { Matrix4 } from 'three';

import type { HandSender } from '../hand/sender';
import type { Side } from '../hand/open_hand';
import type { HandPose } from '../hand/sample';
import type { Stage } from '../view/stage';
import type { Walls } from '../view/walls';
import type { Feel } from './feel';
import type { Guide } from './guide';
import { RoomPlacement } from './room';
import { TrackedHand } from './tracked';

const MODES = ['immersive-ar', 'immersive-vr'] as const;
type Mode = (typeof MODES)[number];
const SIDES: readonly Side[] = ['left', 'right'];

export class Headset {
  /** the mode that this browser offers, and the one that runs */
  offered: Mode | undefined;
  running: Mode | undefined;
  onChange: () => void = () => undefined;
  /** controllers that can buzz, by the body they move */
  readonly buzzers = new Map<string, XRInputSource>();
  private placement: RoomPlacement | undefined;
  private readonly hands = { left: new TrackedHand('left'), right: new TrackedHand('right') };
  private readonly toWorld = new Matrix4();

  constructor(
    private readonly stage: Stage, private readonly walls: Walls, private readonly sender: HandSender,
    private readonly feel: Feel, private readonly guide: Guide,
  ) {
    void this.look();
    navigator.xr?.addEventListener('devicechange', () => void this.look());
  }

  private async look(): Promise<void> {
    this.offered = undefined;
    for (const mode of [...MODES].reverse()) {
      if (await navigator.xr?.isSessionSupported(mode).catch(() => false)) this.offered = mode;
    }
    this.onChange();
  }

  /** Begins or ends a session; to be called by a click. */
  async toggle(): Promise<void> {
    const { xr } = this.stage.renderer;
    if (xr.isPresenting) return xr.getSession()?.end();
    const mode = this.offered;
    if (!mode || !navigator.xr) return;
    const session = await navigator.xr.requestSession(mode, {
      requiredFeatures: ['local-floor'],
      optionalFeatures: ['hand-tracking', 'anchors', 'hit-test'],
    });
    session.addEventListener('end', () => this.ended());
    this.placement = new RoomPlacement(session);
    this.feel.wake();
    await xr.setSession(session);
    this.running = mode;
    this.guide.begin(session, this.placement, mode === 'immersive-ar');
    this.stage.overReality(mode === 'immersive-ar');
    this.walls.overReality(mode === 'immersive-ar');
    this.onChange();
  }

  /** Reads room and hands of one frame; now in ms. */
  update(frame: XRFrame, now: number): void {
    const base = this.stage.renderer.xr.getReferenceSpace();
    if (!base || !this.placement) return;
    this.guide.look(frame, base, performance.now());
    if (this.placement.update(frame, base, now)) this.stage.placeRoom(this.placement.pose);
    this.toWorld.copy(this.stage.room.matrixWorld).invert();
    this.buzzers.clear();
    // poses are those of the time at which the frame will be seen
    const seenAt = (frame as { predictedDisplayTime?: number }).predictedDisplayTime ?? now;
    const carrying = this.placement.carrying(performance.now());
    const seen: Partial<Record<Side, HandPose>> = {};
    for (const side of SIDES) {
      const source = [...frame.session.inputSources].find(({ handedness }) => handedness === side);
      const isTracked = source !== undefined && this.read(frame, source, base, this.hands[side]);
      if (isTracked) seen[side] = this.hands[side].pose;
      if (isTracked && !carrying) this.sender.send(side, this.hands[side].pose, seenAt);
      else this.sender.release(side);
    }
    this.guide.hands(seen, performance.now());
  }

  private read(frame: XRFrame, source: XRInputSource, base: XRReferenceSpace, hand: TrackedHand): boolean {
    if (source.hand) return hand.readJoints(frame, source.hand, base, this.toWorld);
    if (!source.gripSpace) return false;
    const body = this.sender.body(hand.side);
    if (body !== undefined) this.buzzers.set(body, source);
    return hand.readGrip(frame, source.gripSpace, base, this.toWorld);
  }

  private ended(): void {
    this.running = undefined;
    this.placement = undefined;
    this.buzzers.clear();
    this.guide.end();
    SIDES.forEach((side) => this.sender.release(side));
    this.stage.placeRoom(new Matrix4());
    this.stage.overReality(false);
    this.walls.overReality(false);
    this.onChange();
  }
}
