// The accessory's profile: shown, exported, and changed while controllers are connected.

import * as api from "./api.js";
import { characteristicForm, customUUID } from "./characteristic-form.js";
import { dialog, opener } from "./dialog.js";
import { saveFile } from "./files.js";
import { field, h, options } from "./dom.js";
import { notice, tried } from "./notices.js";
import { showProblems } from "./problems.js";
import { edited, serviceLists, servicesOf } from "./profile-places.js";
import { readExactly } from "./json-text.js";

/** Saves the profile as a file. */
export async function exportProfile(number, name) {
  const text = await tried(() => api.profile(number));
  if (text === null) return;
  saveFile(`${name.replaceAll(/[^\p{L}\p{N}-]+/gu, "-").toLowerCase()}.hasaccessory`, text, "application/json");
}

/** Serves a changed profile of the same accessory. iids are kept, and controllers stay connected. */
async function replace(number, text) {
  const { configurationNumber } = await api.replaceProfile(number, text);
  notice(`The profile is served. c# is ${configurationNumber}; controllers stay connected.`);
}

/**
 * Texts that are not served yet, by the accessory's number: `{ text, kept, deviceID, process, place }`. They outlive the panel, which is
 * rebuilt after each change of the structure and each change to another accessory.
 */
const drafts = new Map();

function draftOf(number, store) {
  const draft = drafts.get(number);
  // In another process the number may belong to another accessory.
  return draft && (draft.process === store.processes || draft.deviceID === store.model.detail.deviceID) ? draft : null;
}

export function profilePanel(store, { number, scope }) {
  const area = h("textarea", { class: "code", "aria-label": "The profile as JSON", rows: 26, spellcheck: "false", autocomplete: "off" });
  const problems = h("div", { role: "alert" });
  const { deviceID } = store.model.detail;
  /** The served profile from which the text was loaded. */
  let kept = "";
  let isOver = false;
  // A textarea has only line feeds.
  const isDraft = () => area.value !== kept.replaceAll(/\r\n?/g, "\n");
  const load = () => tried(async () => {
    const before = area.value;
    const served = await store.newest(`profile of ${number}`, () => api.profile(number));
    // A later load was faster, or the user typed meanwhile. The text of the user is kept with the profile from which it was made.
    if (served === null || (area.value !== before && kept !== "")) return;
    if (area.value === before) area.value = served;
    kept = served;
    showProblems(problems, null);
    show();
  });
  const save = h("button", { type: "button", class: "primary", on: { click: async () => {
    const text = area.value;
    try {
      const now = await api.profile(number);
      if (now !== kept) {
        kept = now;
        throw new Error("The served profile was changed meanwhile. \u201cServe this profile\u201d replaces it with this text, \u201cRevert\u201d loads it.");
      }
      await replace(number, text);
      // The panel may have been rebuilt meanwhile.
      if (drafts.get(number)?.text === text) drafts.delete(number);
      store.tell("served", { number, text, now: await api.profile(number) });
      showProblems(problems, null);
    } catch (error) {
      showProblems(problems, error, area);
    }
    show();
  } } }, "Serve this profile");
  const revert = h("button", { type: "button", on: { click: load } }, "Revert");
  const show = () => {
    if (isOver) return;
    save.disabled = !isDraft();
    revert.disabled = !isDraft();
    if (isDraft()) drafts.set(number, { text: area.value, kept, deviceID, process: store.processes });
    else drafts.delete(number);
  };
  area.addEventListener("input", show);
  const draft = draftOf(number, store);
  if (draft) {
    kept = draft.kept;
    area.value = draft.text;
    show();
    queueMicrotask(() => {
      area.setSelectionRange(...(draft.place?.selection ?? [0, 0]));
      area.scrollTop = draft.place?.scrollTop ?? 0;
    });
  } else load();
  scope.onEnd(store.on("served", (served) => {
    if (served.number !== number) return;
    kept = served.now;
    if (area.value === served.text) area.value = kept;
    show();
  }));
  scope.onEnd(() => {
    isOver = true;
    const draft = drafts.get(number);
    if (draft) draft.place = { selection: [area.selectionStart, area.selectionEnd], scrollTop: area.scrollTop };
  });
  scope.onEnd(store.on("happened", (event) => {
    if (event.event === "reconfigured" && event.number === number && !isDraft()) load();
  }));
  return h("section", { class: "card", "aria-label": "Profile" },
    h("header", { class: "bar" }, h("h3", null, "Profile"),
      h("button", { type: "button", on: { click: () => addServiceDialog(number) } }, "Add a service…"),
      h("button", { type: "button", on: { click: () => addCharacteristicDialog(number) } }, "Add a characteristic…"),
      h("button", { type: "button", on: { click: () => exportProfile(number, store.model.detail.name) } }, "Export")),
    h("p", { class: "fine" }, "Changes are served while controllers stay connected. IDs are kept, and c# rises."),
    area, problems, h("div", { class: "buttons" }, revert, save));
}

/** A dialog whose form is added to the profile and served. */
const change = opener(async (number, title, verb, make) => {
  const loaded = await tried(() => Promise.all([api.profile(number), api.catalogue()]));
  if (!loaded) return;
  const [text, catalogue] = loaded;
  dialog(title, (close) => {
    const problems = h("div", { role: "alert" });
    const { node, edit } = make(readExactly(text), catalogue);
    return h("form", {
      on: {
        submit: async (event) => {
          event.preventDefault();
          try {
            if ((await api.profile(number)) !== text) throw new Error("The profile was changed while this dialog was open. Close the dialog and open it again.");
            await replace(number, edited(text, edit));
            close("");
          } catch (error) {
            showProblems(problems, error);
          }
        },
      },
    }, node, problems, h("div", { class: "buttons" }, h("button", { type: "button", on: { click: () => close("") } }, "Cancel"), h("button", { type: "submit", class: "primary" }, verb)));
  }, { wide: true });
});

const optionalOf = (catalogue, type) => catalogue.services.find((one) => one.type === type || one.identifier === type)?.optional ?? [];

export function addCharacteristicDialog(number) {
  return change(number, "Add a characteristic", "Add characteristic", (profile, catalogue) => {
    const places = servicesOf(profile);
    const place = h("select", null, options(places.map(({ label }, index) => [index, label])));
    const form = characteristicForm(catalogue);
    const prefer = () => form.preferred(optionalOf(catalogue, places[place.value]?.service.type));
    place.addEventListener("change", prefer);
    prefer();
    return {
      node: h("div", null, field("Service", place), form.node),
      edit(fresh) {
        const service = servicesOf(fresh)[place.value]?.service;
        if (!service) throw new Error("the profile has no service to add it to");
        (service.characteristics ??= []).push(form.read());
      },
    };
  });
}

export function addServiceDialog(number) {
  return change(number, "Add a service", "Add service", (profile, catalogue) => {
    const places = serviceLists(profile);
    const place = h("select", null, options(places.map(({ label }, index) => [index, label])));
    const service = serviceForm(catalogue);
    return {
      node: h("div", null, places.length > 1 ? field("Accessory", place) : null, service.node),
      edit(fresh) { (serviceLists(fresh)[place.value || 0].owner.services ??= []).push(service.read()); },
    };
  });
}

/** Service types that represent devices. The others are added automatically. */
export const deviceServices = (catalogue) =>
  catalogue.services.filter((one) => !["3E", "A2", "55", "56", "5A"].includes(one.type)).sort((one, other) => one.name.localeCompare(other.name));

/** A service of a profile, with an Apple type or a custom UUID. */
export function serviceForm(catalogue) {
  const type = h("select", null, options([...deviceServices(catalogue).map((one) => [one.identifier, one.name]), ["", "Custom"]], "Switch"));
  const uuid = h("input", { type: "text", value: customUUID(), class: "mono", autocomplete: "off", spellcheck: "false" });
  const name = h("input", { type: "text", maxlength: 64, autocomplete: "off" });
  const own = field("UUID of the service", uuid, "Any unique UUID");
  const first = characteristicForm(catalogue);
  const needs = h("div", null, h("p", { class: "fine" }, "Its first characteristic:"), first.node);
  const show = () => { own.hidden = needs.hidden = type.value !== ""; };
  type.addEventListener("change", show);
  show();
  return {
    node: h("div", { class: "form" }, field("Service", type), own, field("Name of the service", name), needs), type,
    read() {
      const made = { type: type.value || uuid.value.trim() };
      if (name.value.trim()) made.name = name.value.trim();
      if (type.value === "") made.characteristics = [first.read()];
      return made;
    },
  };
}
