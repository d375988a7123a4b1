// The base of a page's state: it sends DOM events, orders the answers of loads, and knows whether the server answers.

/** Sends `state` when the connection changes. Subclasses add their own events. */
export class Live extends EventTarget {
  state = "connecting";
  /** Time at which the connection was lost; null while connected. */
  lostAt = null;
  #lastLoad = 0;
  /** By resource, the number of the last load that was answered. */
  #answered = new Map();

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Returns a function that ends it. */
  on(name, job) {
    const listener = (event) => job(event.detail);
    this.addEventListener(name, listener);
    return () => this.removeEventListener(name, listener);
  }

  /** Runs a load that the user didn't request. If it fails, the next event or connection repeats it. */
  async quietly(load) {
    try {
      await load();
    } catch {
      // `state` reports a lost connection.
    }
  }

  /** Returns the answer of a load; null if a later load of the same resource was answered first. */
  async newest(what, load) {
    this.#lastLoad += 1;
    const number = this.#lastLoad;
    const answer = await load();
    if (number < (this.#answered.get(what) ?? 0)) return null;
    this.#answered.set(what, number);
    return answer;
  }

  setState(state) {
    this.state = state;
    if (state === "lost") this.lostAt ??= performance.now();
    else if (state === "open") this.lostAt = null;
    this.tell("state");
  }

  /** Whether the server does not answer. The page then shows an old state, and can't change it. */
  get isLost() {
    return this.lostAt !== null;
  }
}
