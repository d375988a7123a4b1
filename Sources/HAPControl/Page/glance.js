// How a device is, in a few words: "On · 50 %".

import { mainService } from "./pictures.js";
import { cellOf } from "./model.js";
import { valueInWords } from "./words.js";

/** Types that say most, in the order in which they are said. */
const TELLING = [
  "E", "1D", "66", "25", "B0", "F", "B1", "8", "11", "10", "6D", "22", "71", "6A", "70", "76", "69", "92", "95", "6B", "29", "D2", "68", "AA", "21B", "24",
];
/** Worth a word only while they hold. */
const ONLY_WHEN_TRUE = { 24: "Obstructed" };

export function glanceOf(accessory) {
  const service = mainService(accessory);
  if (!service) return { cells: [], text: () => "" };
  const cells = TELLING.map((type) => cellOf(service, type)).filter(Boolean).slice(0, 3);
  const obstruction = cellOf(service, "24");
  if (obstruction && !cells.includes(obstruction)) cells.push(obstruction);
  return {
    cells,
    text() {
      const said = [];
      for (const cell of cells) {
        if (ONLY_WHEN_TRUE[cell.type]) {
          if (cell.value) said.push(ONLY_WHEN_TRUE[cell.type]);
          continue;
        }
        if (cell.type === "8" && said[0] === "Off") continue;
        said.push(cell.format === "bool" && cell.type !== "25" && cell.type !== "B0" ? `${cell.name}: ${valueInWords(cell).toLowerCase()}` : valueInWords(cell));
      }
      return said.slice(0, 3).join(" · ");
    },
  };
}
