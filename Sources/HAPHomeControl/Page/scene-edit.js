// Editing a scene: its name, and its actions. A new action takes the present value of a characteristic.

import { Scope } from "./cells.js";
import { nameOf } from "./control.js";
import { dialog } from "./dialog.js";
import { field, h, options, say } from "./dom.js";
import { actionForm, nameField, removed } from "./forms.js";
import { tried } from "./notices.js";
import { readNow } from "./reading.js";
import { keptRows } from "./rows.js";
import { valueInWords } from "./words.js";

/** Identify has an effect, but no value to restore. */
const IDENTIFY = "14";

export function editScene(store, id) {
  const { model } = store;
  const find = () => model.detail.scenes.find((scene) => scene.id === id);
  const first = find();
  const scope = new Scope();
  const box = dialog(`Edit ${first.name}`, (close) => {
    const name = nameField(first.name);
    const rename = actionForm(field("Name", name), "Rename", async () => {
      if (name.value.trim() !== find().name) await store.perform("rename", { object: id, name: name.value.trim() });
      close("");
    });
    const heading = h("h3", { tabindex: "-1" }, "Actions");
    const list = h("ul", { class: "entries" });
    const rows = keptRows(list, (action) => action.characteristic, (action) => actionRow(store, id, action), heading);
    const update = () => {
      const scene = find();
      if (scene) rows.update(scene.actions);
      else close("");
    };
    update();
    scope.onEnd(store.on("home", update));
    const remove = first.isBuiltIn ? null : h("div", { class: "apart" }, h("button", { type: "button", class: "danger", on: { click: async () => {
      if (await removed(`Remove the scene ${first.name}, also from the triggers that execute it?`, () => store.perform("remove-action-set", { actionSet: id }), `${first.name} is removed.`)) close("");
    } } }, "Remove…"));
    return h("div", null, rename, heading, list, newAction(store, scope, id, find), remove);
  }, { wide: true });
  box.addEventListener("close", () => scope.end());
}

function actionRow(store, id, { characteristic }) {
  const words = h("span");
  const remove = h("button", { type: "button", class: "small", on: { click: () => tried(() => store.perform("remove-action", { actionSet: id, characteristic })) } }, "Remove");
  return {
    node: h("li", null, words, remove),
    update({ path, text }) {
      const name = path ?? "A characteristic that was removed";
      say(words, `${name}: ${text}`);
      remove.setAttribute("aria-label", `Remove the action of ${name}`);
    },
  };
}

/** The value as a command has it: bytes are an object, and a 64-bit number that is kept as text is a number again. */
function commandValue({ format, value }) {
  if (format === "tlv8" || format === "data") return { base64: value };
  return typeof value === "string" && format !== "string" ? JSON.rawJSON(value) : value;
}

/** The characteristics that an action can set. */
const settable = (accessory) => accessory.services.filter((service) => service.interactive)
  .flatMap((service) => service.characteristics.filter((cell) => cell.perms.includes("pw") && cell.type !== IDENTIFY).map((cell) => ({ service, cell })));

async function present(cell) {
  if (cell.perms.includes("pr")) await readNow(cell);
}

function newAction(store, scope, id, find) {
  const { model } = store;
  const accessories = model.accessories.filter((accessory) => settable(accessory).length > 0);
  if (accessories.length === 0) return h("p", { class: "empty" }, "No accessory has a value to set.");
  const which = h("select", { on: { change: () => list() } }, options(accessories.map((one) => [one.id, one.name])));
  const what = h("select", { on: { change: () => show() } });
  const value = h("output");
  let cell = null;
  let endWatch = () => {};
  scope.onEnd(() => endWatch());
  const list = () => {
    const entries = settable(model.accessory(which.value) ?? accessories[0]);
    const hasSeveral = new Set(entries.map(({ service }) => service)).size > 1;
    what.replaceChildren(...options(entries.map(({ service, cell }) => [cell.id, hasSeveral ? `${service.name}: ${nameOf(cell)}` : nameOf(cell)])));
    show();
  };
  const show = () => {
    endWatch();
    const chosen = model.cells.get(what.value);
    const tell = () => say(value, valueInWords(chosen));
    cell = chosen;
    endWatch = chosen.watch(tell);
    tell();
    // A value that no event reported is read.
    if (chosen.value === null) store.quietly(() => present(chosen));
  };
  list();
  return actionForm([
    h("h3", null, "Add an action"),
    h("p", { class: "fine" }, "Set the accessory first: the action gets its present value."),
    h("div", { class: "row" }, field("Accessory", which), field("Characteristic", what), h("p", { class: "present" }, "Set to ", value)),
  ], "Add action", async () => {
    // The user may choose another one during the read.
    const chosen = cell;
    await present(chosen);
    if (chosen.value === null || chosen.value === undefined) throw new Error(`${nameOf(chosen)} has no value that can be read`);
    const isThere = find().actions.some((action) => action.characteristic === chosen.id);
    await store.perform(isThere ? "update-action" : "add-action", { actionSet: id, characteristic: chosen.id, value: commandValue(chosen) });
  });
}
