// Requests to the server's API, with fetch.

/** What answers, in texts of the page: the page's element `html` has it as `data-server`. */
export const server = document.documentElement.dataset.server;

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
export const usedToken = () => token;

/** A request for another token instead of the used one, which the server refuses before the answer arrives. */
let renewal = null;

/** Uses the token that `get()` returns. */
export async function renewedToken(get) {
  renewal = get();
  try {
    useToken(await renewal);
    return token;
  } finally {
    renewal = null;
  }
}

/** Whether another token than `old` is used, or will be when its renewal is answered. */
export async function isReplaced(old) {
  await renewal?.catch(() => {});
  return token !== old;
}

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
    throw new Refusal(0, { message: `${server} does not answer` });
  }
}

/** Sends a request to `/v1` and returns the text of the answer. */
export async function ask(method, path, body, type = "application/json") {
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

/** Sends a request and returns the answer, which is JSON; null without one. */
export const read = async (...how) => {
  const text = await ask(...how);
  return text === "" ? null : parse(text);
};

/** Caches an answer. Requests it on first use, and again only after a failure. */
export function once(get) {
  let answer = null;
  return () => {
    answer ??= get().catch((error) => {
      answer = null;
      throw error;
    });
    return answer;
  };
}
