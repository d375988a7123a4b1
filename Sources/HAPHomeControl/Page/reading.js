// Reading a value from its accessory.

import * as api from "./api.js";

/** The answer does not undo a change that was reported meanwhile. */
export async function readNow(cell) {
  const { version } = cell;
  const value = await api.get(cell);
  if (cell.version === version) cell.set(value);
}
