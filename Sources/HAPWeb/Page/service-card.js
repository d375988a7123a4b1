// A service as a card: a picture, and the characteristics with their controls.

import { characteristicRow, colourRow } from "./control.js";
import { h, identifier } from "./dom.js";
import { hasPicture, pictureOfService } from "./pictures.js";

/** `context` is that of the rows. `isLarge`: another part of the page shows the picture. */
export function serviceCard(service, context, { title, about, isLarge = false, footer = null }) {
  const id = identifier("service");
  const rows = h("div", { class: "rows" });
  const colour = colourRow(service, context);
  const cells = service.characteristics.filter((cell) => cell.type !== "23" || cell.perms.includes("pw"));
  const own = { ...context, service };
  rows.append(...cells.flatMap((cell) => (cell.type === "13" && colour ? [colour, characteristicRow(cell, own)] : [characteristicRow(cell, own)])));
  return h("section", { class: "card service", "aria-labelledby": id },
    h("header", null,
      hasPicture(service) && !isLarge ? h("div", { class: "thumb" }, pictureOfService(service, context.scope)) : null,
      h("div", null, h("h3", { id }, title), h("p", { class: "fine" }, about))),
    rows, footer);
}
