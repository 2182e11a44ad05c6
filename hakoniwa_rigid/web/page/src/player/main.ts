// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The player of a static page: flight.js hands over a flight, which is drawn as the live page draws. */
import '../style.css';
import './player.css';

import { Box3, Vector3 } from 'three';

import { element } from '../panel/element';
import { soundButton, themeButton, viewButtons } from '../panel/switches';
import { Reports } from '../reports';
import { Sound } from '../sound/sound';
import { Store } from '../store';
import { Theme } from '../theme';
import { Stage } from '../view/stage';
import { View } from '../view/view';
import { KINDS, type ContactEvent } from '../wire/messages';
import { FORMAT, inflated, type Content, type Touch } from './content';
import { Frames } from './frames';
import { exposed, type Player } from './hook';
import { listenToKeys } from './keys';
import { entriesOf, List, type Entry } from './list';
import { Playback } from './playback';
import { Timeline } from './timeline';

/** s of trails and arrows that are drawn anew after a jump, and between their pieces */
const MEMORY = 3;
const PIECE = 0.05;
/** m around a contact that are shown of it; s behind its beginning at which it is looked at */
const NEAR = 0.9;
const BEHIND = 0.06;
const BEFORE = 0.5;
/** CSS pixels below the timeline (player.css) */
const BELOW = 14;
const FROM = new Vector3(-1, -0.75, 0.62);
const HELP = 'Space: play · ← →: 1 s (Shift: 0.05 s) · n p: next, previous contact · drag: turn · wheel: nearer';

/** Says what is wrong in place of the picture. */
function fail(word: string): void {
  document.querySelector('#panel')!.replaceChildren(element('p', 'failed', word));
}

/** What flashes and arrows need of a contact; `now` in ms. */
function contactOf(touch: Touch, store: Store, now: number) {
  const [x, y, z] = touch.impulse.map((value) => store.side(touch.a, touch.b) * value);
  const vector = ([a, b, c]: readonly number[]) => ({ x: a!, y: b!, z: c! });
  const push = { x: x!, y: y!, z: z! };
  const event = {
    phase: 0, kind: touch.kind, body_a: touch.a, body_b: touch.b, position: vector(touch.position),
    normal: vector(touch.normal),
  } as ContactEvent;
  const kind = KINDS[touch.kind] ?? '?';
  return { event, kind, push, strength: Math.hypot(x!, y!, z!), at: now, age: NaN, tickAge: NaN };
}

function start(content: Content, frames: Frames): Player {
  const store = new Store();
  const asked = (name: string) => new URL(location.href).searchParams.get(name);
  const given = (name: string) => Number(asked(name)) || undefined;
  const stage = new Stage(document.querySelector<HTMLCanvasElement>('#view')!, given('pixels'), given('pictures'),
    asked('quality'));
  const view = new View(stage, store);
  const playback = new Playback(content.duration);
  const sound = new Sound(store);
  const entries = entriesOf(content);
  let told = 0;      // contacts that have been shown
  let drawn = NaN;   // s, the time of the picture

  /** Puts the bodies of a time where they are, s, and draws the contacts since the last one. */
  const show = (time: number) => {
    store.fleet = frames.fleet(time);
    store.objects = frames.objectPoses(time);
    store.ties = frames.tiesAt(time);
    store.bones = frames.bones(time);
    while (told < content.contacts.length && content.contacts[told]!.begin <= time) {
      const contact = contactOf(content.contacts[told]!, store, 1000 * content.contacts[told]!.begin);
      view.flash(contact);
      if (playback.playing) sound.contact(contact);
      told += 1;
    }
    view.update(1000 * time, NOTHING);
    drawn = time;
  };

  /** After a jump: what led to the picture, so that trails and arrows are there. */
  const arrive = (time: number) => {
    view.forget();
    const from = Math.max(0, time - MEMORY);
    told = content.contacts.findIndex(({ begin }) => begin > from);
    if (told < 0) told = content.contacts.length;
    for (let at = from; at < time; at += PIECE) show(at);
    show(time);
  };

  const go = ({ at, touch }: Entry) => {
    playback.seek(playback.playing ? at - BEFORE : at + BEHIND);
    if (!touch) return;
    view.director.stop();
    stage.lookAt(new Vector3(...touch.position), FROM, NEAR);
  };
  const all = () => {
    const extent = frames.extent();
    if (extent) view.lookAt(new Box3(new Vector3(...extent[0]), new Vector3(...extent[1])));
  };

  const list = new List(entries, go);
  const timeline = new Timeline(playback, entries);
  const look = element('button', '', 'View all');
  look.type = 'button';
  look.onclick = all;
  const theme = new Theme((name) => {
    stage.style(name);
    view.restyle();
  });
  const buttons = element('div', 'controls', look, soundButton(sound), themeButton(theme), ...viewButtons(view));
  const head = element('header', '', element('h1', '', content.title), element('span', 'world', content.scene.world));
  const side = element('aside', '', buttons, list.root);
  document.querySelector('#panel')!.replaceChildren(head, side, element('footer', '', HELP), timeline.root);
  document.title = content.title;
  stage.beside(side, timeline.root.offsetHeight + BELOW);

  // of drones in trouble only their flags are known here
  view.reports = new Reports();
  store.show(content.scene);
  playback.onSeek = arrive;
  listenToKeys(playback, entries, go);
  stage.orbit.maxDistance = 200;
  arrive(0);
  let last = performance.now();
  stage.renderer.setAnimationLoop(() => {
    const now = performance.now();
    if (!stage.due(now)) return;
    playback.pass(Math.min((now - last) / 1000, 0.25));
    last = now;
    if (view.stale || playback.time !== drawn) show(playback.time);
    view.direct(now);
    view.settle(now);
    timeline.refresh();
    list.show(playback.time);
    stage.render(now);
  });
  return exposed(content, stage, view, store, playback, all, () => {
    timeline.refresh();
    list.show(playback.time);
    if (view.stale) show(playback.time);
    view.settle(performance.now());
    const shown = stage.shown();
    stage.render(performance.now());
    return shown;
  });
}

const NOTHING = new Map<string, never>();

/** flight.js calls this. */
window.flight = (content) => {
  const work = async () => {
    const { format } = content;
    if (format !== FORMAT) throw new Error(`flight.js has format ${format}, this player reads ${FORMAT}`);
    window.player = start(content, new Frames(content, await inflated(content.data)));
  };
  work().catch((error: Error) => fail(`This flight cannot be shown: ${error.message}`));
};
addEventListener('error', (event) => {
  if (event.target instanceof HTMLScriptElement) fail('flight.js is missing or damaged: it lies beside this page.');
}, true);
