// The tile of a service of an accessory: its picture, name and state, and a switch or the button of a lock or a door.

import { cellOf, isUnknown } from "./cells.js";
import { h, say } from "./dom.js";
import { hasPicture, pictureOf, pictureOfCategory } from "./pictures.js";
import { accessoryAddress } from "./route.js";
import { noticed, set } from "./setting.js";
import { makeTile, switchOf } from "./tile.js";

const BATTERY = "96";
/** The targets of a garage door and of a lock, by type, with the verbs that set the values 0 and 1. A garage door can have a lock, too. */
const TARGETS = [["32", ["Open", "Close"]], ["1E", ["Unlock", "Lock"]]];

/**
 * The services with a tile: those for people with a picture, without a battery next to other services. `[null]` for an accessory without a
 * service for people, such as a bridge.
 */
export function shownServices(accessory) {
  const shown = accessory.services.filter((service) => service.interactive);
  const best = shown.filter((service) => hasPicture(service) && service.type !== BATTERY);
  const services = best.length > 0 ? best : shown.slice(0, 1);
  return services.length > 0 ? services : [null];
}

/** The reason why an accessory can't be used; null if it can. */
export function troubleOf(accessory) {
  if (accessory.blocked) return "Blocked";
  return accessory.reachable ? null : `Cannot be reached${accessory.why ? `: ${accessory.why}` : ""}`;
}

/** A button with the verb of the other target: "Unlock" for a lock that is secured. null without a target. */
function targetOf(service, name) {
  const found = service && TARGETS.map(([type, verbs]) => ({ cell: cellOf(service, type), verbs })).find(({ cell }) => cell?.perms.includes("pw"));
  if (!found) return null;
  const { cell, verbs } = found;
  const other = () => (cell.value === 1 ? 0 : 1);
  const node = h("button", { type: "button", class: "small", on: { click: () => set(cell, String(other()), noticed(update)) } });
  const update = () => {
    const verb = verbs[other()];
    say(node, verb);
    node.setAttribute("aria-label", `${verb} ${name}`);
    node.disabled = isUnknown(cell);
  };
  return { node, cell, update };
}

/** `service` is null for an accessory without a service for people. `update()` also shows a change of the reachability. */
export function homeTile(accessory, service, scope) {
  const isOnly = shownServices(accessory).length === 1;
  const name = service?.name ?? accessory.name;
  const tile = makeTile({
    name, href: accessoryAddress(accessory.id, isOnly ? null : service.iid), scope,
    data: { accessory: accessory.id }, subject: { services: service ? [service] : [] },
    state(glance) {
      const trouble = troubleOf(accessory);
      const state = trouble ?? glance.text();
      // Two names are shown if a person gave the service another one than the accessory.
      return { text: [name === accessory.name ? null : accessory.name, state].filter(Boolean).join(" · "), isActive: trouble === null && glance.isActive() };
    },
    draw: () => (service ? pictureOf({ services: [service] }, accessory.category, scope) : pictureOfCategory(accessory.category)),
    control: (service, name) => targetOf(service, name) ?? switchOf(service, name),
  });
  const update = () => {
    const trouble = troubleOf(accessory);
    tile.update();
    tile.node.classList.toggle("is-out", trouble !== null);
    tile.node.title = trouble ?? "";
  };
  update();
  return { ...tile, update, accessory, service, name };
}
