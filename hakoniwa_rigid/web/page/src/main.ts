// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The page: socket -> store -> view; pointer, keys, gamepad or headset -> hands -> socket. */
import './style.css';

import { MOUSE, TOUCH, Vector3 } from 'three';

import { HandSender } from './hand/sender';
import { hook } from './hook';
import { Comings } from './panel/comings';
import { Panel, type Tool } from './panel/panel';
import { linesButton, soundButton, themeButton, viewButtons } from './panel/switches';
import { Troubles } from './panel/troubles';
import { OwnHand } from './pointer/own_hand';
import { moveByThreeFingers } from './pointer/three_fingers';
import { Pushes } from './pushes';
import { ReplayBuffer } from './replay/buffer';
import { Replay, replayButton } from './replay/replay';
import { Reports } from './reports';
import { Sound } from './sound/sound';
import { Store } from './store';
import { Theme } from './theme';
import { Stage } from './view/stage';
import { View } from './view/view';
import { Link, socketAddress } from './wire/link';
import { Probes } from './wire/probes';
import { Feel } from './xr/feel';
import { Guide } from './xr/guide';
import { Heads } from './xr/heads';
import { Headset } from './xr/session';

/** CSS pixels at the bottom that the hint has */
const HINT = 34;

const address = new URL(location.href);
const store = new Store();
const link = new Link(socketAddress(address));
const probes = new Probes(link, store.clock);
/** A number in the page's address. */
const asked = (name: string) => address.searchParams.get(name);
const given = (name: string) => Number(asked(name)) || undefined;
const stage = new Stage(document.querySelector<HTMLCanvasElement>('#view')!, given('pixels'), given('pictures'),
  asked('quality'));
const view = new View(stage, store);
const sender = new HandSender(link, store);
const root = document.querySelector<HTMLElement>('#panel')!;
const reports = new Reports();
const sound = new Sound(store);
const feel = new Feel(sound);
const heads = new Heads(link);
const guide = new Guide(stage, view, store, link, sender, feel, heads);
const headset = new Headset(stage, view.walls, sender, feel, guide);
const own = new OwnHand(root, stage, store, view.walls, sender);
const pushes = new Pushes();
const replay = new Replay(root, store, view, new ReplayBuffer(store), (contact) => sound.contact(contact));
const theme = new Theme((name) => {
  stage.style(name);
  view.restyle();
});
const troubles = new Troubles();
const comings = new Comings();
const panel = new Panel(root, store, link, pushes, {
  tool,
  view: () => view.lookAtDrones(),
  headset: () => void headset.toggle().catch((error: Error) => console.warn(error.message)),
  buttons: [soundButton(sound), replayButton(replay, (word) => panel.say(word)), themeButton(theme),
    linesButton(view), ...viewButtons(view)],
  below: [troubles.root, comings.root],
  readings: (now) => reports.reading(now),
});
const work = { frames: 0, busy: 0 };
let drawn = performance.now();

/** Who has the left button, or the one finger. */
function tool(chosen: Tool): void {
  const hand = chosen === 'hand';
  own.enabled = hand;
  stage.orbit.mouseButtons = hand
    ? { LEFT: null, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.ROTATE }
    : { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
  // with the hand two fingers turn and zoom; with the camera, of which one finger turns, they move and zoom
  stage.orbit.touches = { ONE: hand ? null : TOUCH.ROTATE, TWO: hand ? TOUCH.DOLLY_ROTATE : TOUCH.DOLLY_PAN };
}

store.listen(link);
pushes.listen(sender, store);
reports.listen(link);
store.sceneListeners.push((scene) => {
  reports.show(scene);
  comings.scene(scene, new Date().toTimeString().slice(0, 8));
});
reports.onNewcomers = (lines) => comings.told(lines);
reports.listeners.push((name, { authority }) => own.bodies.own(name, authority));
view.reports = reports;
store.contactListeners.push((contact) => feel.contact(contact, headset.buzzers));
// of a replay its own contacts are seen and heard
store.contactListeners.push((contact) => {
  if (replay.on) return;
  view.flash(contact);
  sound.contact(contact);
});
// a hand is pushed into what is live, not into what was
stage.canvas.addEventListener('pointerdown', () => own.input.enabled && replay.stop(), true);
headset.onChange = () => panel.headset(headset.offered, headset.running);
link.onWord = (word) => panel.say(word);
link.onState = (state) => {
  panel.state(state);
  if (state === 'open') probes.start();
};
stage.room.add(heads.group);
tool('hand');
moveByThreeFingers(stage);
stage.beside(document.querySelector<HTMLElement>('aside')!, HINT);
stage.lookAt(new Vector3(0, 0, 1), new Vector3(-1, -0.75, 0.36), 3);
stage.renderer.setAnimationLoop((time, frame?: XRFrame) => {
  const now = performance.now();
  if (frame) {
    headset.update(frame, time);
    replay.stop();
  } else heads.update(now);
  if (!stage.due(now)) return;
  if (!replay.update(now, Math.min(0.25, (now - drawn) / 1000))) view.update(now, sender.own);
  drawn = now;
  own.draw(now);
  view.direct(now);
  view.settle(now);
  troubles.show(view.wrong);
  panel.frame(now);
  stage.render(now);
  work.busy += 0.1 * (performance.now() - now - work.busy);
});
stage.onPicture = (begun) => {
  pushes.drawn(begun, performance.now());
  work.frames += 1;
};
window.hakoniwa = hook({
  stage, view, store, link, sender, headset, guide, heads, own, pushes, work, replay, reports,
});
link.open();
