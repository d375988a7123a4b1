// The API of homes.

import { ask, read } from "./web.js";

const one = (home) => `/homes/${home}`;
const characteristic = (cell) => `${one(cell.owner)}/characteristics/${cell.id}`;
const trigger = (home, id) => `${one(home)}/triggers/${id}`;
const setup = (id) => `/homes/setups/${id}`;

export const index = () => read("GET", "");
export const homes = async () => (await read("GET", "/homes")).homes;
export const home = (id) => read("GET", one(id));
export const file = (id) => ask("GET", `${one(id)}/file`);
export const addHome = async (how) => (await read("POST", "/homes", how)).home;
/** Sends a command that changes homes; `members` are the others of its JSON. */
export const perform = (command, members) => read("POST", "/homes/commands", { command, ...members });

/** Reads a value from its accessory. */
export const get = async (cell) => (await read("GET", characteristic(cell))).value;
/** `text` is the value as JSON. */
export const set = (cell, text) => read("PUT", characteristic(cell), `{"value":${text}}`);
export const identify = (home, accessory) => read("POST", `${one(home)}/accessories/${accessory}/identify`);
/** `forgets`: also if the accessory can't be reached. */
export const removeAccessory = (home, accessory, forgets) => read("DELETE", `${one(home)}/accessories/${accessory}${forgets ? "?forget=true" : ""}`);

export const execute = async (home, scene) => (await read("POST", `${one(home)}/scenes/${scene}/execute`)).result;
export const fire = async (home, id) => (await read("POST", `${trigger(home, id)}/fire`)).evaluation;
/** The last evaluations, oldest first. */
export const evaluations = async (home, id) => (await read("GET", `${trigger(home, id)}/evaluations`)).evaluations;

/** `place`: "home", "away", or a position `[latitude, longitude]`. */
export const setPlace = (home, user, place) => read("PUT", `${one(home)}/users/${user}/place`, { place });
export const share = (home, shareRequest, role) => read("POST", `${one(home)}/users`, { shareRequest, role });
export const renewShare = async (home, user) => (await read("POST", `${one(home)}/users/${user}/share`)).document;
/** The token with which a user opens the page. `renews`: a new one, and the one before is not valid any more. */
export const token = async (home, user, renews) => (await read("POST", `${one(home)}/users/${user}/token`, { renew: renews })).token;
export const requestShare = async (name) => (await read("POST", "/homes/share-requests", { name })).document;
export const acceptShare = (share) => read("POST", "/homes/shares", { share });

/** Makes an accessory that is in no home identify itself. */
export const identifyNew = (device) => read("POST", `/homes/new-accessories/${device}/identify`);
export const startSetup = (home) => read("POST", "/homes/setups", home ? { home } : {});
export const showSetup = (id) => read("GET", setup(id));
export const answerSetup = (id, answer) => read("POST", `${setup(id)}/answers`, answer);
export const cancelSetup = (id) => read("DELETE", setup(id));
