// Adding a home, and its name, time zone and location.

import * as api from "./api.js";
import { dialog } from "./dialog.js";
import { field, h } from "./dom.js";
import { saveFile } from "./files.js";
import { acted, actionForm, nameField, removed } from "./forms.js";
import { locationFields } from "./location.js";
import { tried } from "./notices.js";

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function zoneField(value) {
  const known = Intl.supportedValuesOf?.("timeZone") ?? [];
  const list = h("datalist", { id: "zones" }, known.map((zone) => h("option", { value: zone })));
  const input = h("input", { type: "text", required: true, autocomplete: "off", spellcheck: "false", list: "zones", value });
  return { node: [field("Time zone", input, "Triggers use it, such as Europe/Berlin"), list], read: () => input.value.trim() };
}

export function addHomeDialog(store) {
  dialog("Add a home", (close) => {
    const name = nameField("My Home");
    const owner = h("input", { type: "text", required: true, maxlength: 64, autocomplete: "off" });
    const zone = zoneField(ownZone());
    const place = locationFields();
    return actionForm(
      [field("Name", name), field("Your name", owner, "You are its owner"), zone.node, h("fieldset", null, h("legend", null, "Location (optional; sunrise, sunset and positions need it)"), place.node)],
      "Add home", async () => {
        const location = place.read();
        const added = await api.addHome({ name: name.value.trim(), owner: owner.value.trim(), timeZone: zone.read(), ...(location ? { location } : {}) });
        await store.show(added);
        close("");
      });
  });
}

/** Everything about the home itself. */
export function homeDialog(store) {
  const { detail } = store.model;
  dialog(`Edit ${detail.name}`, (close) => {
    const name = nameField(detail.name);
    const zone = zoneField(detail.timeZone);
    const place = locationFields(detail.location);
    const form = actionForm(
      [field("Name", name), zone.node, h("fieldset", null, h("legend", null, "Location"), place.node)], "Save", async () => {
        const home = detail.id;
        const location = place.read();
        if (zone.read() !== detail.timeZone) await store.perform("set-time-zone", { home, timeZone: zone.read() });
        if (String(location) !== String(detail.location ?? null)) await store.perform("set-location", { home, location });
        if (name.value.trim() !== detail.name) await store.perform("rename", { object: home, name: name.value.trim() });
        close("");
      });
    return h("div", null, form, h("div", { class: "apart" }, homeButtons(store, close)));
  });
}

function homeButtons(store, close) {
  const { detail, isOwner } = store.model;
  const { id, name } = detail;
  const button = (text, click, kind = null) => h("button", { type: "button", class: kind, on: { click } }, text);
  const save = button("Save as a file", () => tried(async () => saveFile(`${name}.hashome`, await api.file(id), "application/yaml")));
  if (!isOwner) return save;
  return [
    save,
    detail.isPrimary ? null : button("Make primary", () => acted(store, () => api.perform("set-primary-home", { home: id }), `${name} is the primary home.`)),
    button("Add another home…", () => {
      close("");
      addHomeDialog(store);
    }),
    button("Remove…", async () => {
      const isGone = await removed(`Remove the home ${name} with its rooms, scenes and triggers?`, () => store.perform("remove-home", { home: id }), `${name} is removed.`);
      if (isGone) close("");
    }, "danger"),
  ];
}
