// Characteristics as cells: they hold the values and notify watchers.

import { soon } from "./frames.js";

/** A characteristic with its value. Aids and iids are text if a number can't represent them. */
export class Cell {
  #watchers = new Set();
  #words;
  /** Number of times that the value was set. */
  version = 0;

  /** `owner` is what the API needs to find the characteristic. */
  constructor(characteristic, owner) {
    Object.assign(this, characteristic, { owner });
    this.#words = new Map(Object.entries(this.words ?? {}).map(([word, value]) => [value, word]));
  }

  get address() {
    return `${this.aid}.${this.iid}`;
  }

  wordOf(value) {
    return this.#words.get(typeof value === "boolean" ? Number(value) : value);
  }

  set(value) {
    this.value = value;
    this.version += 1;
    this.tell();
  }

  /** Notifies all watchers. */
  tell() {
    for (const watcher of this.#watchers) soon(watcher);
  }

  /** Runs `job` before the next frame after a change. Returns a function that stops it. */
  watch(job) {
    this.#watchers.add(job);
    return () => this.#watchers.delete(job);
  }
}

/** Whether the value was not read yet. A control that changes it can't know the other value. */
export const isUnknown = (cell) => cell.value === null && cell.perms.includes("pr");

/** The watches of one part of the page, which end together. */
export class Scope {
  #ends = [];

  watch(cells, job) {
    for (const cell of cells) this.#ends.push(cell.watch(job));
  }

  onEnd(end) {
    this.#ends.push(end);
  }

  end() {
    for (const end of this.#ends.splice(0)) end();
  }
}

/** Returns a service's characteristic with this short type. */
export const cellOf = (service, type) => service.characteristics.find((cell) => cell.type === type);
