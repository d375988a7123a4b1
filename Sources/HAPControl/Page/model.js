// The shown accessory. Its cells hold the values and notify watchers.

import { soon } from "./frames.js";

/** A characteristic with its value. Aids and iids are text if a number can't represent them. */
export class Cell {
  #watchers = new Set();
  #words;
  /** Number of times that the value was set. */
  version = 0;

  constructor(characteristic) {
    Object.assign(this, characteristic);
    this.#words = new Map(Object.entries(this.words ?? {}).map(([word, value]) => [value, word]));
  }

  get id() {
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

/** An accessory or bridge from `GET /v1/accessories/{number}`, with cells instead of characteristics. */
export class Model {
  #shape = "";
  cells = new Map();

  constructor(detail) {
    this.take(detail);
  }

  /** Applies a newer answer. Returns whether anything other than values differs, so that the page must be rebuilt. */
  take(detail) {
    const shape = shapeOf(detail);
    const isNew = shape !== this.#shape;
    this.#shape = shape;
    this.detail = detail;
    this.number = detail.number;
    if (isNew) {
      this.cells = new Map();
      this.accessories = detail.accessories.map((accessory) => ({
        ...accessory,
        services: accessory.services.map((service) => ({
          ...service,
          aid: accessory.aid,
          characteristics: service.characteristics.map((characteristic) => {
            const cell = new Cell(characteristic);
            this.cells.set(cell.id, cell);
            return cell;
          }),
        })),
      }));
      return true;
    }
    for (const [index, accessory] of detail.accessories.entries()) {
      this.accessories[index].online = accessory.online;
      for (const service of accessory.services) {
        for (const characteristic of service.characteristics) {
          const cell = this.cells.get(`${characteristic.aid}.${characteristic.iid}`);
          if (cell.value !== characteristic.value) cell.set(characteristic.value);
        }
      }
    }
    return false;
  }

  accessory(aid) {
    return this.accessories.find((accessory) => String(accessory.aid) === String(aid));
  }

  get isBridge() {
    return this.accessories.length > 1;
  }

  get root() {
    return this.accessories[0];
  }
}

/** The parts of an answer that don't change by themselves. */
function shapeOf(detail) {
  return JSON.stringify([
    detail.number, detail.name, detail.category, detail.setupCode,
    detail.accessories.map((accessory) => [
      accessory.aid, accessory.name,
      accessory.services.map((service) => [
        service.iid, service.type, service.label, service.primary, service.hidden, service.linked, service.actions,
        service.characteristics.map(({ value, word, ...rest }) => rest),
      ]),
    ]),
  ]);
}

/** Returns a service's characteristic with this short type. */
export const cellOf = (service, type) => service.characteristics.find((cell) => cell.type === type);
