// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** An element with a class and children: text is set as text, never as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, className: string, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
