// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Buttons for what is seen and heard: sound, replay, theme, trails, lines, shapes. */
import type { Sound } from '../sound/sound';
import type { Theme } from '../theme';
import type { View } from '../view/view';
import { element } from './element';

function toggle(name: string, title: string, on: boolean, change: (on: boolean) => void): HTMLButtonElement {
  const button = element('button', 'tool', name);
  button.type = 'button';
  button.title = title;
  const show = (pressed: boolean) => {
    button.classList.toggle('on', pressed);
    button.setAttribute('aria-pressed', String(pressed));
  };
  show(on);
  button.onclick = () => {
    const pressed = button.getAttribute('aria-pressed') !== 'true';
    show(pressed);
    change(pressed);
  };
  return button;
}

/** The one that leads to the other theme, and is called so. */
export function themeButton(theme: Theme): HTMLButtonElement {
  const button = element('button', '', '');
  button.type = 'button';
  const name = () => {
    button.textContent = theme.name === 'dark' ? 'Light' : 'Dark';
    button.title = `the ${theme.name === 'dark' ? 'light' : 'dark'} theme`;
  };
  button.onclick = () => {
    theme.toggle();
    name();
  };
  matchMedia('(prefers-color-scheme: light)').addEventListener('change', name);
  name();
  return button;
}

export function soundButton(sound: Sound): HTMLButtonElement {
  return toggle('Sound', 'contacts are heard', !sound.muted, (on) => {
    sound.muted = !on;
    if (on) sound.wake();
  });
}

/** Trails and collision shapes. */
export function viewButtons(view: View): HTMLButtonElement[] {
  return [
    toggle('Trails', 'where drones came from', true, (on) => (view.trails.lines.visible = on)),
    toggle('Shapes', 'the shapes that collide', false, (on) => (view.drones.shells = on)),
  ];
}

export function linesButton(view: View): HTMLButtonElement {
  return toggle('Lines', 'to what a drone is near', true, (on) => (view.clearances.shown = on));
}
