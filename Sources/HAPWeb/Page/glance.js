// The state of a device in a few words: "On · 50 %".

import { cellOf } from "./cells.js";
import { BUSY, PRESS, busyCell, mainService } from "./pictures.js";
import { valueInWords } from "./words.js";

/** Types that describe a state, in the order in which they are shown. */
const TELLING = [
  "E", "1D", "66", "25", "B0", "F", "B1", "8", "11", "10", "6D", "22", "71", "6A", "70", "76", "69", "92", "95", "6B", "29", "D2", "68", "AA", "21B", "24",
];
/** Hue, saturation and colour temperature: a lamp is drawn in its colour. */
const COLOURS = ["13", "2F", "CE"];
/** Types that the overview requests. The picture of a button shows a press. */
export const STATE_TYPES = [...new Set([...TELLING, ...BUSY.map(([type]) => type), ...COLOURS, PRESS])];
/** Shown only while true. */
const ONLY_WHEN_TRUE = { 24: "Obstructed" };
/** Words for the states of a contact and of a position, which replace the catalogue's "Detected" and the percentage alone. */
const OTHERWISE = { "6A": (value) => (value === 1 ? "Open" : "Closed"), "6D": (value) => (value === 0 ? "Closed" : value === 100 ? "Open" : `${value} % open`) };

/** `text()`: the state in words. `isActive()`: whether it is on, open, unlocked or detecting something. Both follow `cells`. */
export function glanceOf(accessory) {
  const service = mainService(accessory);
  if (!service) return { cells: [], text: () => "", isActive: () => false };
  const cells = TELLING.map((type) => cellOf(service, type)).filter((cell) => cell?.perms.includes("pr")).slice(0, 3);
  const obstruction = cellOf(service, "24");
  if (obstruction && !cells.includes(obstruction)) cells.push(obstruction);
  const busy = busyCell(accessory);
  if (busy.cell && !cells.includes(busy.cell)) cells.push(busy.cell);
  return {
    cells,
    isActive: busy.isBusy,
    text() {
      const said = [];
      for (const cell of cells) {
        if (ONLY_WHEN_TRUE[cell.type]) {
          if (cell.value) said.push(ONLY_WHEN_TRUE[cell.type]);
          continue;
        }
        if (cell.type === "8" && said[0] === "Off") continue;
        if (OTHERWISE[cell.type]) {
          said.push(OTHERWISE[cell.type](cell.value));
          continue;
        }
        said.push(cell.format === "bool" && cell.type !== "25" && cell.type !== "B0" ? `${cell.name}: ${valueInWords(cell).toLowerCase()}` : valueInWords(cell));
      }
      return [...new Set(said)].slice(0, 3).join(" · ");
    },
  };
}
