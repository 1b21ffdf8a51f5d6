// A fair mutex: one holder at a time, in the order of arrival.

/** Serialises asynchronous work; a holder that throws releases it like any other. */
export class Lock {
  #tail: Promise<void> = Promise.resolve();

  /** Runs `work` when every earlier caller has finished. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    let release = () => {};
    this.#tail = new Promise((resolve) => release = resolve);
    await before;
    try {
      return await work();
    } finally {
      release();
    }
  }
}
