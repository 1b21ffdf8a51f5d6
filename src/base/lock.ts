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
  #onEmpty = () => {};

  /** Whether nothing is at work. */
  get is_empty(): boolean {
    return this.#inside === 0;
  }

  async enter(): Promise<void> {
    while (this.#held) await this.#held;
    this.#inside++;
  }

  leave(): void {
    if (--this.#inside === 0) this.#onEmpty();
  }

  /** Runs `work`, at once where nobody holds it down. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** The same of work that gives one thing after the other. */
  async *stream<T>(work: () => AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    await this.enter();
    try {
      yield* work();
    } finally {
      this.leave();
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

  /**
   * Runs `work` once what is at work has ended, while nothing begins; not where that takes longer
   * than `patience` does, whose signal says that nobody waits. Says whether it did.
   */
  async alone(
    work: () => Promise<void>,
    patience: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    let is_done = false;
    await this.hold(async () => {
      if (!this.is_empty) await this.#emptied(patience);
      if (!this.is_empty) return;
      await work();
      is_done = true;
    });
    return is_done;
  }

  async #emptied(patience: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    const stop = new AbortController();
    await Promise.race([promise, patience(stop.signal)]);
    stop.abort();
  }
}

/** One's own way through a barrier: who has entered is at work until it leaves. */
export class Passage {
  readonly #barrier: Barrier;
  #is_inside = false;

  constructor(barrier: Barrier) {
    this.#barrier = barrier;
  }

  async enter(): Promise<void> {
    if (this.#is_inside) return;
    await this.#barrier.enter();
    this.#is_inside = true;
  }

  leave(): void {
    if (this.#is_inside) this.#barrier.leave();
    this.#is_inside = false;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#is_inside ? work() : this.#barrier.run(work);
  }

  stream<T>(work: () => AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    return this.#is_inside ? work() : this.#barrier.stream(work);
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
