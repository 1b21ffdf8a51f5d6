// Fair mutexes, a barrier before work that goes on side by side, one question for many who ask.

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

/** Who has work that somebody waits for, and who has work of the program itself. */
type Lane = "asked" | "own";

/**
 * Serialises work of two lanes: where both wait, they take turns, so that nobody waits for more
 * than one piece of the other's. In a lane, who came first goes first.
 */
export class TwoLanes {
  readonly #waiting: Readonly<Record<Lane, (() => void)[]>> = { asked: [], own: [] };
  #is_taken = false;

  /** Runs `work` when its turn has come; a holder that throws hands on like any other. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.#is_taken) await new Promise<void>((resolve) => this.#waiting[lane].push(resolve));
    this.#is_taken = true;
    try {
      return await work();
    } finally {
      const { [lane]: same, [lane === "asked" ? "own" : "asked"]: other } = this.#waiting;
      const next = other.shift() ?? same.shift();
      if (next) next();
      else this.#is_taken = false;
    }
  }
}

/** Work passes it, side by side; while somebody holds it down, what comes waits. */
export class Barrier {
  #inside = 0;
  #held: Promise<void> | undefined;

  /** Whether nothing is at work. */
  get is_empty(): boolean {
    return this.#inside === 0;
  }

  /** Runs `work`, at once where nobody holds it down. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#held) await this.#held;
    this.#inside++;
    try {
      return await work();
    } finally {
      this.#inside--;
    }
  }

  /** The same of work that gives one thing after the other. */
  async *stream<T>(work: () => AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    while (this.#held) await this.#held;
    this.#inside++;
    try {
      yield* work();
    } finally {
      this.#inside--;
    }
  }

  /** Runs `work` while nothing begins; what is at work goes on. One holds it down at a time. */
  async hold(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    try {
      await work();
    } finally {
      this.#held = undefined;
      resolve();
    }
  }
}

/** Asks for any number of callers with one question after the other. */
export class Shared<T> {
  #open: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined;

  /** What is answered to a question that begins after this call: it is told of nothing older. */
  ask(question: () => Promise<T>): Promise<T> {
    return this.#next ??= this.#open.catch(() => {}).then(() => {
      this.#next = undefined;
      const asking = question();
      this.#open = asking;
      return asking;
    });
  }
}
