// The control API.

import { ask, once, read } from "./web.js";

const one = (number) => `/accessories/${number}`;
const address = (cell) => `${one(cell.owner)}/characteristics/${cell.address}`;

export const index = () => read("GET", "");
/** `types`: the characteristics to include for each accessory; none by default. */
export const accessories = async (types = []) => (await read("GET", `/accessories${types.length > 0 ? `?types=${types.join(",")}` : ""}`)).accessories;
export const accessory = (number) => read("GET", one(number));
export const pairings = async (number) => (await read("GET", `${one(number)}/pairings`)).pairings;
export const connections = async (number) => (await read("GET", `${one(number)}/connections`)).connections;
export const activeFaults = async (number) => (await read("GET", `${one(number)}/faults`)).faults;
export const faults = once(async () => (await read("GET", "/faults")).faults);
export const catalogue = once(() => read("GET", "/catalogue"));
export const clock = () => read("GET", "/clock");
export const scenario = () => read("GET", "/scenario");
/** `events`: names of the events to return. A server of an older version refuses the parameter with 400. */
export const log = (after, limit, events = null) => read("GET", `/log?after=${after}&limit=${limit}${events ? `&event=${events.join(",")}` : ""}`);
export const profile = (number) => ask("GET", `${one(number)}/profile`);

export const add = (text) => read("POST", "/accessories", text);
export const makeProfile = (wish) => read("POST", "/profiles", wish);
export const remove = (number) => read("DELETE", one(number));
export const change = (number, how) => read("PATCH", one(number), how);
export const restart = (number, kind) => read("POST", `${one(number)}/restart`, { kind });
export const identify = (number, aid) => read("POST", `${one(number)}/identify`, `{"aid":${aid}}`);
export const replaceProfile = (number, text) => read("PUT", `${one(number)}/profile`, text);
export const act = (number, aid, service, what) =>
  read("POST", `${one(number)}/actions`, `{"aid":${aid},"service":${service},${JSON.stringify(what).slice(1)}`);
export const setOnline = (number, aid, online) => read("PATCH", `${one(number)}/bridged/${aid}`, { online });
/** `text` is the value as JSON. */
export const set = (cell, text) => read("PUT", address(cell), `{"value":${text}}`);
/** Stalls reads of a characteristic, or answers them again. */
export const stall = (cell, stalled) => read("PATCH", address(cell), { stalled });
export const removePairings = (number) => read("DELETE", `${one(number)}/pairings`);
export const removePairing = (number, controller) => read("DELETE", `${one(number)}/pairings/${encodeURIComponent(controller)}`);
export const closeConnections = (number) => read("DELETE", `${one(number)}/connections`);
export const closeConnection = (number, id) => read("DELETE", `${one(number)}/connections/${id}`);
export const faultOn = (number, name, parameters) => read("PUT", `${one(number)}/faults/${name}`, parameters);
export const faultOff = (number, name) => read("DELETE", `${one(number)}/faults/${name}`);
export const advance = (duration) => read("POST", "/clock/advance", { duration });
export const play = (yaml) => read("PUT", "/scenario", { yaml });
export const stopScenario = () => read("DELETE", "/scenario");

export const openWindow = (number, kind, seconds) => read("POST", `${one(number)}/matter/window`, { kind, seconds });
export const closeWindow = (number) => read("DELETE", `${one(number)}/matter/window`);
export const removeFabric = (number, index) => read("DELETE", `${one(number)}/matter/fabrics/${index}`);

export const setupImage = (number) => image(`${one(number)}/setup.svg`);
export const matterImage = (number) => image(`${one(number)}/matter/setup.svg`);
export const windowImage = (number) => image(`${one(number)}/matter/window/setup.svg`);

/** Returns a URL of an image. An `img` can't load it directly, because the request needs the token. */
async function image(path) {
  return URL.createObjectURL(new Blob([await ask("GET", path)], { type: "image/svg+xml" }));
}
