// Adding an accessory: from the catalogue, from a profile, or with custom types.

import * as api from "./api.js";
import { characteristicForm } from "./characteristic-form.js";
import { dialog, opener } from "./dialog.js";
import { field, h, identifier, options } from "./dom.js";
import { fileField } from "./files.js";
import { laidOut } from "./json-text.js";
import { notice } from "./notices.js";
import { showProblems } from "./problems.js";
import { deviceServices, serviceForm } from "./profile.js";
import { address } from "./route.js";
import { tabs } from "./tabs.js";
import { count } from "./words.js";

export const addDialog = opener(async (store) => {
  let catalogue;
  try {
    catalogue = await api.catalogue();
  } catch (error) {
    return notice(error.message, "problem");
  }
  dialog("Add an accessory", (close) => {
    const served = async (text) => {
      const added = await api.add(text);
      await store.loadList();
      close("");
      location.hash = address(added.number);
      notice(`${added.name} is served. Its setup code is ${added.setupCode}.`);
    };
    return tabs([
      ["From the catalogue", () => fromCatalogue(catalogue, served)],
      ["From a profile", () => fromProfile(served)],
      ["Custom", () => fromScratch(catalogue, served)],
    ], "Source");
  }, { wide: true });
});

/** A form with problems below it. `make()` returns the profile's text. */
function form(children, make, served, area = null) {
  const problems = h("div", { role: "alert" });
  return h("form", {
    class: "form",
    on: {
      submit: async (event) => {
        event.preventDefault();
        try {
          await served(await make());
        } catch (error) {
          showProblems(problems, error, area);
        }
      },
    },
  }, children, problems, h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Serve")));
}

function fromProfile(served) {
  const area = h("textarea", { class: "code", rows: 14, spellcheck: "false", autocomplete: "off" });
  const file = fileField(area, ".hasaccessory,.json,application/json");
  return form([field("A .hasaccessory file", file.node), field("Or its text", area)], () => file.text(), served, area);
}

/** Devices are added with a number of each. The check box puts them behind a bridge. */
function fromCatalogue(catalogue, served) {
  const rows = h("ul", { class: "picked" });
  const picked = [];
  const name = h("input", { type: "text", maxlength: 64, autocomplete: "off", placeholder: "default: the device's name" });
  const bridge = h("input", { type: "checkbox", id: identifier("bridge") });
  const services = deviceServices(catalogue);
  const type = h("select", null, options(services.map((one) => [one.identifier, one.name]), "LightBulb"));
  const names = new Map(catalogue.characteristics.map((one) => [one.type, one]));

  const pick = () => {
    const service = services.find((one) => one.identifier === type.value);
    const entry = { service, many: h("input", { type: "number", min: 1, max: 149, value: "1", "aria-label": `Number of ${service.name}` }), wishes: [] };
    entry.boxes = service.optional.filter((one) => names.has(one) && one !== "23").map((one) => {
      const box = h("input", { type: "checkbox", id: identifier("wish"), value: names.get(one).identifier });
      return h("span", { class: "check" }, box, h("label", { for: box.id }, names.get(one).name));
    });
    entry.node = h("li", { class: "card" },
      h("header", { class: "bar" }, h("strong", null, service.name), h("span", { class: "inline" }, "×", entry.many),
        h("button", { type: "button", class: "small", "aria-label": `Remove ${service.name}`, on: { click: () => {
          picked.splice(picked.indexOf(entry), 1);
          entry.node.remove();
        } } }, "Remove")),
      entry.boxes.length === 0 ? null : h("details", null, h("summary", null, `Optional characteristics (${entry.boxes.length})`), h("div", { class: "checks" }, entry.boxes)));
    picked.push(entry);
    rows.append(entry.node);
  };

  const make = async () => {
    if (picked.length === 0) pick();
    const wishes = picked.flatMap((entry) => {
      const optional = entry.boxes.map((box) => box.querySelector("input")).filter((box) => box.checked).map((box) => box.value);
      const text = optional.length > 0 ? `${entry.service.identifier}:${optional.join(",")}` : entry.service.identifier;
      const many = Math.min(149, Math.max(1, Math.floor(Number(entry.many.value)) || 1));
      return Array.from({ length: many }, (_, index) => ({ text, name: many > 1 ? `${entry.service.name} ${index + 1}` : entry.service.name }));
    });
    const called = name.value.trim();
    if (!bridge.checked) return laidOut(await api.makeProfile({ services: wishes.map((wish) => wish.text), ...(called ? { name: called } : {}) }));
    const bridged = [];
    const made = new Map();
    for (const wish of wishes) {
      if (!made.has(wish.text)) made.set(wish.text, await api.makeProfile({ services: [wish.text] }));
      const { category, services } = made.get(wish.text);
      bridged.push({ name: wish.name, category, services });
    }
    if (bridged.length > 149) throw new Error(`a bridge has at most 149 bridged accessories, but this list has ${count(bridged.length, "accessory", "accessories")}`);
    return laidOut({ format: "hasaccessory/1", name: called || "Bridge", category: "bridge", bridgedAccessories: bridged });
  };
  return form([
    field("Name", name),
    h("div", { class: "row" }, field("Device", type), h("button", { type: "button", on: { click: pick } }, "Add device")), rows,
    h("span", { class: "check" }, bridge, h("label", { for: bridge.id }, "Use a bridge, with each device as a bridged accessory")),
  ], make, served);
}

/** A service with any number of characteristics. */
function fromScratch(catalogue, served) {
  const name = h("input", { type: "text", maxlength: 64, required: true, autocomplete: "off" });
  const slugs = catalogue.categories.filter((one) => one.slug !== "bridged-accessory" && one.slug !== "bridge");
  const category = h("select", null, options(slugs.map((one) => [one.slug, one.name]), "other"));
  const service = serviceForm(catalogue);
  const more = h("div");
  const forms = [];
  const another = () => {
    const one = characteristicForm(catalogue, catalogue.services.find((entry) => entry.identifier === service.type.value)?.optional ?? []);
    const box = h("div", { class: "card" }, one.node, h("button", { type: "button", class: "small", on: { click: () => {
      forms.splice(forms.indexOf(one), 1);
      box.remove();
    } } }, "Remove"));
    forms.push(one);
    more.append(box);
  };
  const make = async () => {
    const made = service.read();
    if (forms.length > 0) made.characteristics = [...(made.characteristics ?? []), ...forms.map((one) => one.read())];
    return laidOut({ format: "hasaccessory/1", name: name.value.trim(), category: category.value, services: [{ ...made, primary: true }] });
  };
  return form([
    h("div", { class: "fields" }, field("Name", name), field("Category", category)), service.node, more,
    h("button", { type: "button", on: { click: another } }, "Add a characteristic"),
  ], make, served);
}
