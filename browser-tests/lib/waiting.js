// Waiting for what must happen, however slow the machine is.

import { setTimeout as pause } from "node:timers/promises";

/** No test waits longer for something to happen, in milliseconds. */
export const PATIENCE = 60_000;

/** Waits until `isSo` says so; `what` names it. */
export async function until(isSo, what) {
  const begun = Date.now();
  while (!(await isSo())) {
    if (Date.now() - begun > PATIENCE) throw new Error(`waited in vain: ${what}`);
    await pause(20);
  }
}
