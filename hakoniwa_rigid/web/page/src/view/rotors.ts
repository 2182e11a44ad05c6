// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** How fast a rotor is drawn turning, and how far its blades are blurred. */
import { DoubleSide, ShaderMaterial } from 'three';

/** rad/s as drawn: where the rotor's speed is not known, and at most (faster looks like standing still at 60 Hz) */
export const HOVER = 30;
export const FASTEST = 70;
/** s, for which a picture is exposed, as a camera's would be */
const EXPOSURE = 1 / 250;
/** rad/s that a rotor is taken to have whose speed is not known */
const ASSUMED = 400;

/** The square root keeps slow large rotors and fast small ones apart without flicker; speed in rad/s. */
export function visualRate(speed: number | undefined): number {
  if (speed === undefined || !Number.isFinite(speed)) return HOVER;
  return Math.min(FASTEST, 1.6 * Math.sqrt(Math.abs(speed)));
}

/** rad, over which a blade is smeared while a picture is exposed: from none to a full disc; speed in rad/s. */
export function blurOf(speed: number | undefined): number {
  const known = speed === undefined || !Number.isFinite(speed) ? ASSUMED : Math.abs(speed);
  return Math.min(Math.PI, EXPOSURE * known);
}

/**
 * A disc of radius 1 on which blades are drawn, smeared by `instanceColor.r` rad: a blade that covers so much of a
 * circle is as much paler as it is smeared.
 */
export function rotorMaterial(blades: number): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { blades: { value: blades } }, transparent: true, depthWrite: false, side: DoubleSide,
    vertexShader: `varying vec2 at; varying float blur;
      void main() {
        at = position.xy; blur = instanceColor.r;
        gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `uniform float blades; varying vec2 at; varying float blur;
      void main() {
        float r = length(at);
        float rim = 1.0 - smoothstep(1.0 - fwidth(r), 1.0, r);
        float sector = 6.2831853 / blades;
        float angle = abs(mod(atan(at.y, at.x) + 0.5 * sector, sector) - 0.5 * sector);
        float half_blade = min(0.1 / max(r, 0.1), 0.4) + 0.12 * (1.0 - r);
        float spread = min(half_blade + 0.5 * blur, 0.5 * sector);
        float edge = fwidth(angle) + 0.15 * blur;
        float alpha = (half_blade / spread) * (1.0 - smoothstep(spread - edge, spread + edge, angle));
        float whole = step(0.5 * sector - 0.001, spread);
        alpha = mix(alpha, half_blade / spread, whole);
        float tip = smoothstep(0.93, 0.97, r) * min(1.0, blur);
        gl_FragColor = vec4(mix(vec3(0.10, 0.115, 0.135), vec3(0.75, 0.8, 0.86), 0.45 * min(1.0, blur) + 0.4 * tip),
          rim * min(0.9, 0.85 * alpha + 0.28 * tip));
        #include <colorspace_fragment>
      }`,
  });
}
