// A form for one characteristic of a profile, with an Apple type or a custom one.

import { field, h, identifier, options } from "./dom.js";
import { jsonNumber } from "./numbers.js";
import { plain } from "./words.js";

const FORMATS = ["bool", "uint8", "uint16", "uint32", "uint64", "int", "float", "string", "tlv8", "data"];
const UNITS = ["celsius", "percentage", "arcdegrees", "lux", "seconds"];
const PERMS = { pr: "Read", pw: "Write", ev: "Events", tw: "Timed writes only", aa: "Additional authorization", wr: "Write response", hd: "Hidden" };
const USUAL = new Set(["pr", "pw", "ev"]);
/** Formats with a range and valid values. */
const INTEGERS = new Set(["uint8", "uint16", "uint32", "uint64", "int"]);
const LENGTHS = { string: "maxLen", tlv8: "maxDataLen", data: "maxDataLen" };
const CUSTOM = "";

export function customUUID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const text = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** `read()` returns the profile's characteristic; `preferred(types)` lists these types first. */
export function characteristicForm(catalogue, preferredTypes = []) {
  const byType = new Map(catalogue.characteristics.map((one) => [one.type, one]));
  const type = h("select");
  const uuid = h("input", { type: "text", value: customUUID(), class: "mono", autocomplete: "off", spellcheck: "false" });
  const name = h("input", { type: "text", maxlength: 64, autocomplete: "off" });
  const format = h("select", null, options(FORMATS.map((one) => [one, one]), "uint8"));
  const unit = h("select", null, options([["", "none"], ...UNITS.map((one) => [one, plain(one)])], ""));
  const [least, most, step] = ["0", "100", "1"].map((value) => h("input", { type: "text", inputmode: "decimal", value, autocomplete: "off" }));
  const value = h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  const perms = Object.entries(PERMS).map(([perm, word]) => {
    const box = h("input", { type: "checkbox", id: identifier("perm"), value: perm, checked: USUAL.has(perm) });
    return { box, node: h("span", { class: "check" }, box, h("label", { for: box.id }, word)) };
  });
  const range = h("div", { class: "fields" }, field("Minimum", least), field("Maximum", most), field("Step", step));
  const valid = h("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
  const validField = field("Valid values", valid, "For example 0, 1, 4; replaces the range");
  const longest = h("input", { type: "number", min: 1, autocomplete: "off" });
  const length = field("Length limit", longest, "In bytes");
  const own = h("div", { class: "fields" },
    field("Description", name, "Shown to users"), field("UUID", uuid, "Any unique UUID"), field("Format", format), field("Unit", unit),
    h("fieldset", null, h("legend", null, "Permissions"), perms.map((perm) => perm.node)), range, validField, length);
  const preferred = (types) => {
    const first = types.filter((one) => byType.has(one));
    const rest = catalogue.characteristics.filter((one) => !first.includes(one.type));
    type.replaceChildren(h("option", { value: CUSTOM }, "Custom"),
      first.length > 0 ? h("optgroup", { label: "Usual for this service" }, options(first.map((one) => [one, byType.get(one).name]))) : "",
      h("optgroup", { label: "All Apple types" }, options(rest.map((one) => [one.type, one.name]))));
    show();
  };
  const show = () => {
    own.hidden = type.value !== CUSTOM;
    range.hidden = ["bool", "string", "tlv8", "data"].includes(format.value);
    validField.hidden = !INTEGERS.has(format.value);
    length.hidden = !LENGTHS[format.value];
  };
  type.addEventListener("change", show);
  format.addEventListener("change", show);
  preferred(preferredTypes);

  return {
    node: h("div", { class: "form" }, field("Characteristic", type), own, field("Initial value", value, "Default: a safe value")),
    preferred,
    read() {
      const isOwn = type.value === CUSTOM;
      const kind = isOwn ? format.value : byType.get(type.value).format;
      const made = { type: isOwn ? uuid.value.trim() : byType.get(type.value).identifier };
      if (isOwn) {
        if (name.value.trim()) made.description = name.value.trim();
        made.format = format.value;
        made.perms = perms.filter((perm) => perm.box.checked).map((perm) => perm.box.value);
        if (unit.value) made.unit = unit.value;
        const values = validField.hidden ? [] : valid.value.split(/[\s,]+/).filter(Boolean).map((text) => numberOf(text, "valid values"));
        if (values.length > 0) made["valid-values"] = [...new Set(values)].sort((one, other) => Number(one.rawJSON ?? one) - Number(other.rawJSON ?? other));
        else if (!range.hidden) {
          for (const [member, input] of [["minValue", least], ["maxValue", most], ["minStep", step]]) {
            if (input.value.trim() !== "") made[member] = numberOf(input.value, member);
          }
        }
      }
      if (isOwn && !length.hidden && longest.value !== "") made[LENGTHS[format.value]] = numberOf(longest.value, LENGTHS[format.value]);
      const start = value.value.trim();
      if (start !== "") made.value = valueOf(start, kind);
      else if (isOwn) {
        const first = made["valid-values"]?.[0] ?? made.minValue;
        if (first !== undefined) made.value = first;
      }
      return made;
    },
  };
}

function numberOf(text, what) {
  if (!Number.isFinite(Number(text))) throw new Error(`${what}: "${text}" is not a number`);
  return exactly(text);
}

/** Returns a number with all digits, also for 64-bit numbers. */
function exactly(text) {
  const number = Number(text);
  if (!Number.isInteger(number) || Number.isSafeInteger(number)) return number;
  if (!JSON.rawJSON) throw new Error(`this browser cannot write ${text} exactly; write it in the profile's text`);
  return JSON.rawJSON(jsonNumber(text) ?? text);
}

/** Converts an input to a value. Words of the catalogue ("open") remain text. */
function valueOf(text, format) {
  if (["string", "tlv8", "data"].includes(format)) return text;
  if (format === "bool" && (text === "true" || text === "false")) return text === "true";
  return Number.isFinite(Number(text)) ? exactly(text) : text;
}
