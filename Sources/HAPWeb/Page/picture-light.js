// A lamp that glows in its colour.

import { css, lightOf } from "./colour.js";
import { circle, group, isOn, mark, path, percent } from "./picture-parts.js";

export function lamp() {
  const halo = group("p-halo", circle("", 60, 46, 40), circle("", 60, 46, 29), circle("", 60, 46, 19));
  const beam = path("p-beam", "M44 44 26 90h68L76 44z");
  const bulb = circle("p-bulb", 60, 46, 8);
  const all = group("p-lamp", beam, halo, path("p-line", "M60 0v22"), bulb, path("p-shade", "M52 22h16l12 22H40z"));
  return {
    parts: [all],
    update(value) {
      const light = css(lightOf(value));
      const level = isOn(value) ? 0.25 + (percent(value("8")) / 100) * 0.75 : 0;
      mark(all, "is-on", level > 0);
      for (const part of [halo, beam, bulb]) part.style.fill = level > 0 ? light : "";
      halo.style.opacity = level;
      beam.style.opacity = level * 0.32;
      bulb.style.opacity = level > 0 ? 0.5 + level / 2 : "";
    },
  };
}
