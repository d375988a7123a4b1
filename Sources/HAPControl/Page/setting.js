// Setting a value by hand: one request at a time for each characteristic, the latest wish goes last.

import * as api from "./api.js";

/** By characteristic: `next`, the wish that waits, or null, and `settled`, who asked for something since the first request went out. */
const underWay = new Map();

/** Whether a value is being set: what the device says meanwhile is older than what was wished for. Who watches the cell is told when it is over. */
export const isBeingSet = (cell) => underWay.has(cell);

/**
 * `text` is the value as JSON. `onRefused(error)` is told why the latest wish was refused, in the API's words, or null; `onSettled()` when nothing is
 * under way any more. Of wishes that wait the latest counts, with its `onRefused`; everybody's `onSettled` is called, once for each function.
 */
export async function set(number, cell, text, { onRefused, onSettled }) {
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
      const answer = await api.set(number, cell, latest.text);
      // The answer may come before the event, and must not undo what came meanwhile.
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
