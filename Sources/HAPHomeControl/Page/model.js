// The shown home. The characteristics of its accessories are cells.

import { Cell } from "./cells.js";

/** A home from `GET /v1/homes/{home}`: `detail` is the last answer, `accessories` have cells instead of characteristics. */
export class HomeModel {
  #shapes = new Map();
  accessories = [];
  /** By identifier. */
  cells = new Map();

  constructor(detail) {
    this.take(detail);
  }

  /** Applies a newer answer. An accessory that differs only in values and reachability stays the same object. */
  take(detail) {
    const before = new Map(this.accessories.map((accessory) => [accessory.id, accessory]));
    const shapes = new Map();
    this.id = detail.id;
    this.detail = detail;
    this.accessories = detail.accessories.map((accessory) => {
      const shape = shapeOf(accessory);
      shapes.set(accessory.id, shape);
      const known = before.get(accessory.id);
      return known && this.#shapes.get(accessory.id) === shape ? updated(known, accessory) : madeOf(accessory, detail.id);
    });
    this.#shapes = shapes;
    this.cells = new Map(this.accessories.flatMap((accessory) => accessory.services.flatMap((service) => service.characteristics.map((cell) => [cell.id, cell]))));
  }

  accessory(id) {
    return this.accessories.find((accessory) => accessory.id === id);
  }

  /** Whether the user may change the home: its rooms, accessories, scenes and triggers. */
  get canEdit() {
    return this.detail.mayEdit;
  }

  /** Only the owner may change who uses the home. */
  get isOwner() {
    return this.detail.role === "owner";
  }

  /** All rooms; the room for the entire home is the last one. */
  get rooms() {
    return [...this.detail.rooms, this.detail.roomForEntireHome];
  }

  room(id) {
    return this.rooms.find((room) => room.id === id);
  }

  /** Sets whether an accessory can be reached, and the reason if not. */
  setReachable({ accessory, reachable, why }) {
    const found = this.accessory(accessory);
    if (found) Object.assign(found, { reachable, why });
  }
}

const madeOf = (accessory, home) => ({
  ...accessory,
  services: accessory.services.map((service) => ({ ...service, characteristics: service.characteristics.map((one) => new Cell(one, home)) })),
});

function updated(known, accessory) {
  Object.assign(known, { reachable: accessory.reachable, why: accessory.why });
  for (const [index, service] of accessory.services.entries()) {
    for (const [at, { value }] of service.characteristics.entries()) {
      const cell = known.services[index].characteristics[at];
      if (cell.value !== value) cell.set(value);
    }
  }
  return known;
}

/** The parts of an accessory that don't change by themselves. */
const shapeOf = ({ reachable, why, services, ...rest }) =>
  JSON.stringify([rest, services.map(({ characteristics, ...service }) => [service, characteristics.map(({ value, ...one }) => one)])]);
