// Setting a value by hand: one request at a time for each characteristic; of queued requests only the latest is sent.

import * as api from "./api.js";
import { notice } from "./notices.js";

/** By characteristic: `next`, the queued request or null, and `settled`, the callbacks since the first request was sent. */
const underWay = new Map();

/** Whether a value is being set. Values from the device are older than the requested one meanwhile. Watchers of the cell are notified at the end. */
export const isBeingSet = (cell) => underWay.has(cell);

/**
 * `text` is the value as JSON. `onRefused(error)` is called with the error of the latest request, or null; `onSettled()` when no request is
 * pending any more. Of queued requests only the latest counts, with its `onRefused`; each different `onSettled` is called once.
 */
export async function set(cell, text, { onRefused, onSettled }) {
  const wish = { text, onRefused };
  const other = underWay.get(cell);
  if (other) {
    other.next = wish;
    other.settled.add(onSettled);
    return;
  }
  const queue = { next: wish, settled: new Set([onSettled]) };
  underWay.set(cell, queue);
  let latest = wish;
  let problem = null;
  while (queue.next) {
    latest = queue.next;
    queue.next = null;
    problem = null;
    const { version } = cell;
    try {
      const answer = await api.set(cell, latest.text);
      // The answer may arrive before the event, and must not undo a change since.
      if (cell.version === version && answer.value !== undefined) cell.set(answer.value);
    } catch (error) {
      problem = error;
    }
  }
  underWay.delete(cell);
  latest.onRefused(problem);
  for (const job of queue.settled) job();
  cell.tell();
}

/** Callbacks of `set` for a control that is in no row: a refusal is a notice. */
export const noticed = (onSettled) => ({ onRefused: (error) => error && notice(error.message, "problem"), onSettled });
