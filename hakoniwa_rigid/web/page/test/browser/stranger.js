// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Somebody who knows the address but not the token: what page, files and socket give to a browser of theirs. */

/** Statuses of the files, whether the socket opened, and what could be read of the page. */
export async function stranger(context, address, files) {
  const place = new URL(address);
  place.search = '';
  const page = await context.newPage();
  const answer = await page.goto(place.href);
  const text = await answer.text();
  const found = await page.evaluate(async (names) => {
    const statuses = await Promise.all(names.map(async (name) => (await fetch(`/${name}`)).status));
    const opened = await new Promise((done) => {
      const socket = new WebSocket(`wss://${location.host}/ws`, ['foxglove.sdk.v1']);
      socket.onopen = () => done(true);
      socket.onerror = () => done(false);
    });
    return { statuses, opened };
  }, files);
  const cookies = (await context.cookies()).length;
  await page.close();
  return { status: answer.status(), text, cookies, ...found };
}
