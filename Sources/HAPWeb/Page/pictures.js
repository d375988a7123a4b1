// The picture of a device, and how it follows the values of its service.

import { cellOf } from "./cells.js";
import { soon } from "./frames.js";
import { fan, humidifier, purifier } from "./picture-air.js";
import { humidity, thermometer, thermostat } from "./picture-climate.js";
import { blind, door, garage, slats, windowPicture } from "./picture-doors.js";
import { bridge, plan, router, thing } from "./picture-hub.js";
import { lamp } from "./picture-light.js";
import { lock } from "./picture-lock.js";
import { camera, doorbell, microphone, speaker, television } from "./picture-media.js";
import { room } from "./picture-parts.js";
import { battery, button, outlet, powerSwitch } from "./picture-power.js";
import { security } from "./picture-security.js";
import { airQuality, brightness, contact, dioxide, leak, monoxide, motion, occupancy, smoke } from "./picture-sensors.js";
import { sprinkler, tap } from "./picture-water.js";

/** By service type, in order of significance for a device. */
const BY_SERVICE = new Map(Object.entries({
  "41": garage, "45": lock, "7E": security, "4A": thermostat, "BC": thermostat, "BB": purifier, "BD": humidifier, "8C": blind, "81": door,
  "8B": windowPicture, "D8": television, "121": doorbell, "110": camera, "204": camera, "21A": camera, "43": lamp, "40": fan, "B7": fan, "CF": sprinkler, "D7": tap,
  "D0": tap, "47": outlet, "49": powerSwitch, "89": button, "88": powerSwitch, "85": motion, "86": occupancy, "80": contact, "83": leak, "87": smoke, "7F": monoxide,
  "97": dioxide, "8D": airQuality, "84": brightness, "8A": thermometer, "82": humidity, "B9": slats, "228": speaker, "113": speaker, "112": microphone, "96": battery,
  "20A": router, "20F": router,
}));
const BY_CATEGORY = {
  bridge, fan, "garage-door-opener": garage, lightbulb: lamp, "door-lock": lock, outlet, switch: powerSwitch, thermostat, sensor: motion,
  "security-system": security, door, window: windowPicture, "window-covering": blind, "programmable-switch": button, "ip-camera": camera,
  "video-doorbell": doorbell, "air-purifier": purifier, "air-heater": thermostat, "air-conditioner": thermostat, "air-humidifier": humidifier,
  "air-dehumidifier": humidifier, "apple-tv": television, homepod: speaker, speaker, sprinkler, faucet: tap, "shower-head": tap, television,
  "wi-fi-router": router, airport: router, "audio-receiver": speaker, "television-set-top-box": television, "television-streaming-stick": television,
  "target-controller": button,
};
/** Programmable Switch Event. */
export const PRESS = "73";

/** A picture of a category, in the state without values. */
export function pictureOfCategory(slug) {
  const drawn = (BY_CATEGORY[slug] ?? thing)();
  drawn.update(() => undefined);
  return room(...drawn.parts);
}

/** The service that represents an accessory: the primary one if it has a picture. */
export function mainService(accessory) {
  const shown = accessory.services.filter((service) => BY_SERVICE.has(service.type) && !service.hidden);
  const order = [...BY_SERVICE.keys()];
  return shown.find((service) => service.primary) ?? shown.sort((one, other) => order.indexOf(one.type) - order.indexOf(other.type))[0] ?? null;
}

export const hasPicture = (service) => BY_SERVICE.has(service.type);

/** A picture that follows the service's values until the scope ends. */
export function pictureOfService(service, scope) {
  const drawn = BY_SERVICE.get(service.type)();
  const byType = new Map(service.characteristics.map((cell) => [cell.type, cell]));
  const value = (type) => byType.get(type)?.value ?? undefined;
  const picture = room(...drawn.parts);
  const update = () => drawn.update(value);
  update();
  scope.watch(service.characteristics, update);
  const press = cellOf(service, PRESS);
  if (press && drawn.pressed) {
    let restart = null;
    scope.watch([press], () => {
      if (press.value === null) return;
      drawn.pressed.classList.remove("is-pressed");
      clearTimeout(restart);
      restart = setTimeout(() => soon(() => drawn.pressed.classList.add("is-pressed")), 0);
    });
  }
  return picture;
}

/** The characteristics that make a device of any kind busy: on, active, open, unlocked, detecting something. */
export const BUSY = [
  ["25", Boolean], ["B0", Boolean], ["E", (value) => value !== 1], ["1D", (value) => value !== 1], ["6D", (value) => value > 0], ["F", (value) => value > 0],
  ["22", Boolean], ["71", Boolean], ["6A", Boolean], ["70", Boolean], ["76", Boolean], ["69", Boolean], ["92", Boolean],
];

/** The characteristic that shows whether an accessory is busy, if it has one, and whether it is. */
export function busyCell(accessory) {
  const service = mainService(accessory);
  const [cell, isBusy] = BUSY.map(([type, isBusy]) => [service && cellOf(service, type), isBusy]).find(([cell]) => cell) ?? [null];
  return { cell, isBusy: () => cell !== null && cell.value !== null && isBusy(cell.value) };
}

/** A floor plan with a light for each bridged accessory, which glows while that is busy. */
export function floorPlan(accessories, scope) {
  const drawn = plan(accessories.length);
  for (const [index, accessory] of accessories.entries()) {
    const { cell, isBusy } = busyCell(accessory);
    if (!cell) continue;
    const update = () => drawn.light(index, isBusy());
    update();
    scope.watch([cell], update);
  }
  return room(...drawn.parts);
}

/** A picture of an accessory: of its main service, or of its category if no service has one. */
export function pictureOf(accessory, category, scope) {
  if (category === "bridge") return pictureOfCategory("bridge");
  const service = mainService(accessory);
  return service ? pictureOfService(service, scope) : pictureOfCategory(category);
}

