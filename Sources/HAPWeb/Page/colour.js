// Colours of lamps: HAP has hue (0–360°), saturation (0–100 %) and brightness, or a colour temperature in mired.

/** Red, green and blue, 0–255, at full brightness. */
export function fromHue(hue, saturation) {
  const s = saturation / 100;
  const part = (n) => {
    const k = (n + hue / 60) % 6;
    return Math.round(255 * (1 - s * Math.max(0, Math.min(k, 4 - k, 1))));
  };
  return [part(5), part(3), part(1)];
}

export function toHue([red, green, blue]) {
  const [r, g, b] = [red / 255, green / 255, blue / 255];
  const most = Math.max(r, g, b);
  const spread = most - Math.min(r, g, b);
  let hue = 0;
  if (spread > 0) {
    if (most === r) hue = ((g - b) / spread) % 6;
    else if (most === g) hue = (b - r) / spread + 2;
    else hue = (r - g) / spread + 4;
  }
  return { hue: Math.round((hue * 60 + 360) % 360), saturation: Math.round(most === 0 ? 0 : (spread / most) * 100) };
}

/** Interpolates from candle light (500 mired) over white (154 mired) to a blue sky (100 mired). */
export function fromTemperature(mired) {
  const between = (from, to, part) => from.map((channel, index) => Math.round(channel + (to[index] - channel) * part));
  const at = (low, high) => Math.min(1, Math.max(0, (mired - low) / (high - low)));
  if (mired > 154) return between([255, 255, 251], [255, 168, 72], at(154, 500));
  return between([196, 218, 255], [255, 255, 251], at(100, 154));
}

export const css = ([red, green, blue]) => `rgb(${red}, ${green}, ${blue})`;
export const hex = (channels) => `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
export const fromHex = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

/** The light of a lamp with the values `value(type)`. A colour takes precedence over a temperature, unless it is white. */
export function lightOf(value) {
  const saturation = value("2F");
  const mired = value("CE");
  if (saturation !== undefined && (saturation > 2 || mired === undefined)) return fromHue(value("13") ?? 0, saturation);
  if (mired !== undefined) return fromTemperature(mired);
  return [255, 214, 120];
}
