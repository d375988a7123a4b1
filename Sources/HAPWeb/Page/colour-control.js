// A colour picker for a lamp's hue and saturation together.

import { cellOf } from "./cells.js";
import { fromHex, hex, lightOf, toHue } from "./colour.js";
import { h, identifier } from "./dom.js";
import { isBeingSet, noticed, set } from "./setting.js";

const [HUE, SATURATION, TEMPERATURE] = ["13", "2F", "CE"];

/** Style of a characteristic's slider; null for the default. */
export const trackOf = (cell) => ({ [HUE]: "hue", [SATURATION]: "saturation", [TEMPERATURE]: "temperature" })[cell.type] ?? null;

/** A row with the browser's colour picker; null if the service has no colours. */
export function colourControl(service, { scope }) {
  const [hue, saturation] = [cellOf(service, HUE), cellOf(service, SATURATION)];
  if (!hue || !saturation) return null;
  const id = identifier("colour");
  const value = (type) => cellOf(service, type)?.value ?? undefined;
  const problem = noticed(() => update());
  let isPicking = false;
  const letGo = () => {
    isPicking = false;
    update();
  };
  const input = h("input", {
    type: "color", id,
    on: {
      input: () => {
        isPicking = true;
        const picked = toHue(fromHex(input.value));
        set(hue, String(picked.hue), problem);
        set(saturation, String(picked.saturation), problem);
      },
      change: letGo, blur: letGo,
    },
  });
  const row = h("div", { class: "characteristic" }, h("div", { class: "what" }, h("label", { class: "name", for: id }, "Colour")), h("div", { class: "how" }, input));
  let isShown = false;
  const update = () => {
    const text = hex(lightOf(value));
    if (!isShown || !(isPicking || isBeingSet(hue) || isBeingSet(saturation))) input.value = text;
    isShown = true;
    row.parentElement?.style.setProperty("--lamp", text);
  };
  queueMicrotask(update);
  scope.watch([hue, saturation, cellOf(service, TEMPERATURE)].filter(Boolean), update);
  return row;
}
