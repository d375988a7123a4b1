// A characteristic that can be written but not read: a choice or a text field, and a button that writes the value.

import { h, options, say } from "./dom.js";
import { jsonNumber } from "./numbers.js";
import { valueInWords } from "./words.js";

const TEXTS = new Set(["string", "tlv8", "data"]);

export const isWriteOnly = (cell) => cell.perms.includes("pw") && !cell.perms.includes("pr");

/** `choices`: `[[value as JSON, words]]`, or null for a text field. Nothing is chosen at first, because there is no current value. */
export function writeOnly({ cell, id, name, put, refuse }, choices) {
  const input = choices
    ? h("select", { id, "aria-label": name }, h("option", { value: "" }, "Choose a value…"), options(choices))
    : h("input", { type: "text", id, "aria-label": name, placeholder: "Value to write", inputmode: TEXTS.has(cell.format) ? null : "decimal", autocomplete: "off", spellcheck: "false" });
  const written = h("span", { class: "beside" });
  const read = () => (choices ? input.value || null : TEXTS.has(cell.format) ? JSON.stringify(input.value) : jsonNumber(input.value));
  const node = h("form", {
    class: "inline",
    on: { submit: (event) => {
      event.preventDefault();
      const text = read();
      if (text === null) refuse(new Error(choices ? "no value is chosen" : `"${input.value}" is not a number`));
      else put(text);
    } },
  }, input, h("button", { type: "submit", class: "small", "aria-label": `Write ${name}` }, "Write"));
  return {
    node: [node, written], isLabelled: true, width: "broad",
    /** A value that was written before the page was opened is unknown. */
    update() { say(written, cell.version === 0 || cell.value === null ? "Cannot be read" : `Last written: ${valueInWords(cell)}`); },
    refused(error) {
      if (error) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    },
  };
}
