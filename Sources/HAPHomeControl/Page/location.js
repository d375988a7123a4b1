// A position in degrees.

import { field, h } from "./dom.js";

/** `read()` returns `[latitude, longitude]`, or null if both fields are empty. Throws if only one is filled. */
export function locationFields(value = null, label = "") {
  const input = (name, most, text) => h("input", {
    type: "number", step: "any", min: -most, max: most, autocomplete: "off", "aria-label": label ? `${name} of ${label}` : null, value: text === undefined ? "" : String(text),
  });
  const latitude = input("Latitude", 90, value?.[0]);
  const longitude = input("Longitude", 180, value?.[1]);
  return {
    node: h("div", { class: "row" }, field("Latitude", latitude), field("Longitude", longitude)),
    read() {
      const texts = [latitude.value, longitude.value];
      if (texts.every((text) => text === "")) return null;
      if (texts.some((text) => text === "")) throw new Error("enter both the latitude and the longitude, in degrees");
      return texts.map(Number);
    },
  };
}

export const positionText = ([latitude, longitude]) => `${latitude}, ${longitude}`;
