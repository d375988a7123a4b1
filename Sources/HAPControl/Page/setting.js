// Setting a value by hand: one request at a time for each characteristic, the latest wish goes last.

import * as api from "./api.js";

const underWay = new Map();

/** `text` is the value as JSON. `onRefused(error)` is told why, in the API's words; `onSettled()` when nothing is under way any more. */
export async function set(number, cell, text, { onRefused, onSettled }) {
  const key = `${number}/${cell.id}`;
  if (underWay.has(key)) {
    underWay.set(key, text);
    return;
  }
  let next = text;
  let problem = null;
  while (next !== null) {
    underWay.set(key, null);
    problem = null;
    const { version } = cell;
    try {
      const answer = await api.set(number, cell, next);
      // The answer may come before the event, and must not undo what came meanwhile.
      if (cell.version === version && answer.value !== undefined) cell.set(answer.value);
    } catch (error) {
      problem = error;
    }
    next = underWay.get(key);
  }
  underWay.delete(key);
  onRefused(problem);
  onSettled();
}
