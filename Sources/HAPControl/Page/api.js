// The control API, called with fetch.

const KEY = "hapsim-token";
let token = null;

/** Keeps a token from the address (`/#token=…`) for this tab, and removes it from the address bar. */
export function takeToken() {
  const said = new URLSearchParams(location.hash.slice(1)).get("token");
  if (said) {
    sessionStorage.setItem(KEY, said);
    history.replaceState(null, "", location.pathname);
  }
  token = sessionStorage.getItem(KEY);
}

export function useToken(text) {
  token = text;
  sessionStorage.setItem(KEY, text);
}

export const hasToken = () => token !== null;

export function headers(more = {}) {
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

/** Why a request was refused, with the API's message. `problems` has all problems, with `line` and `column` if known. */
export class Refusal extends Error {
  constructor(status, error) {
    super(error?.message ?? `the answer was ${status}`);
    this.status = status;
    this.code = error?.code;
    this.problems = error ? [error, ...(error.others ?? [])] : [];
  }
}

/** Matches strings and numbers of a JSON text. */
const TOKENS = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses JSON. Integers that a JavaScript number can't represent become text with all digits: a uint64 may be up to 2^64 - 1. */
export function parse(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(TOKENS, (token) => (/^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token)));
}

/** Timeout of a read in milliseconds. Other requests have no timeout, because advancing the clock may take long. */
const LONGEST_READ = 40000;

/** Returns the response and its text. */
async function answered(path, how) {
  try {
    const response = await fetch(`/v1${path}`, how);
    return [response, await response.text()];
  } catch {
    throw new Refusal(0, { message: "hapsim does not answer" });
  }
}

async function ask(method, path, body, type = "application/json") {
  const how = { method, headers: headers(body === undefined ? {} : { "Content-Type": type }), cache: "no-store" };
  if (method === "GET") how.signal = AbortSignal.timeout(LONGEST_READ);
  if (body !== undefined) how.body = typeof body === "string" ? body : JSON.stringify(body);
  const [response, text] = await answered(path, how);
  if (!response.ok) {
    let error = null;
    try {
      error = JSON.parse(text).error;
    } catch {
      // A proxy in front of the API may send other errors.
    }
    throw new Refusal(response.status, error);
  }
  return text;
}

const read = async (...how) => {
  const text = await ask(...how);
  return text === "" ? null : parse(text);
};

const one = (number) => `/accessories/${number}`;
const address = (number, cell) => `${one(number)}/characteristics/${cell.aid}.${cell.iid}`;

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
export const set = (number, cell, text) => read("PUT", address(number, cell), `{"value":${text}}`);
/** Stalls reads of a characteristic, or answers them again. */
export const stall = (number, cell, stalled) => read("PATCH", address(number, cell), { stalled });
export const removePairings = (number) => read("DELETE", `${one(number)}/pairings`);
export const removePairing = (number, controller) => read("DELETE", `${one(number)}/pairings/${encodeURIComponent(controller)}`);
export const closeConnections = (number) => read("DELETE", `${one(number)}/connections`);
export const closeConnection = (number, id) => read("DELETE", `${one(number)}/connections/${id}`);
export const faultOn = (number, name, parameters) => read("PUT", `${one(number)}/faults/${name}`, parameters);
export const faultOff = (number, name) => read("DELETE", `${one(number)}/faults/${name}`);
export const advance = (duration) => read("POST", "/clock/advance", { duration });
export const play = (yaml) => read("PUT", "/scenario", { yaml });
export const stopScenario = () => read("DELETE", "/scenario");

/** Returns a URL of the image. An `img` can't load it directly, because the request needs the token. */
export async function setupImage(number) {
  return URL.createObjectURL(new Blob([await ask("GET", `${one(number)}/setup.svg`)], { type: "image/svg+xml" }));
}

/** Caches an answer. Requests it on first use, and again only after a failure. */
function once(get) {
  let answer = null;
  return () => {
    answer ??= get().catch((error) => {
      answer = null;
      throw error;
    });
    return answer;
  };
}
