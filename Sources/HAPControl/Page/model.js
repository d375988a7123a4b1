// The shown accessory.

import { Cell } from "./cells.js";

/** An accessory or bridge from `GET /v1/accessories/{number}`, with cells instead of characteristics. */
export class Model {
  #shape = "";
  cells = new Map();
  /** Whether it is a Matter node. The answers of an accessory that does not run can't show it. */
  isMatterNode = false;
  /** When the last answer was applied. */
  takenAt = 0;

  constructor(detail) {
    this.take(detail);
  }

  /** Applies a newer answer. Returns whether anything other than values differs, so that the page must be rebuilt. */
  take(detail) {
    this.isMatterNode ||= detail.matter !== undefined;
    this.takenAt = performance.now();
    const shape = shapeOf(detail, this.isMatterNode);
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
            const cell = new Cell(characteristic, detail.number);
            this.cells.set(cell.address, cell);
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
function shapeOf(detail, isMatterNode) {
  return JSON.stringify([
    detail.number, detail.name, detail.category, detail.setupCode, isMatterNode,
    detail.accessories.map((accessory) => [
      accessory.aid, accessory.name,
      accessory.services.map((service) => [
        service.iid, service.type, service.label, service.primary, service.hidden, service.linked, service.actions,
        service.characteristics.map(({ value, word, ...rest }) => rest),
      ]),
    ]),
  ]);
}
