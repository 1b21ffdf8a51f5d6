// A process that dies at a step of its work.
import { DuckConnection } from "../../src/store/duckdb/client.ts";

/** Everything that a process does to its files, step by step: each of these can be its last. */
export class Life {
  #left: number;
  #is_dead = false;
  readonly #undo: (() => void)[] = [];

  /** Dies before its `steps`-th step, and does nothing from then on. */
  constructor(steps: number) {
    this.#left = steps;
    for (const name of ["run", "prepare", "append"] as const) {
      this.#watch(DuckConnection.prototype, name);
    }
    for (const name of ["remove", "mkdir", "open"] as const) this.#watch(Deno, name);
  }

  get is_dead(): boolean {
    return this.#is_dead;
  }

  end(): void {
    for (const undo of this.#undo) undo();
  }

  #watch<T extends object>(of: T, name: keyof T): void {
    const real = of[name] as (...given: unknown[]) => unknown;
    const step = () => {
      if (!this.#is_dead && --this.#left > 0) return;
      this.#is_dead = true;
      throw new Error("killed");
    };
    const watched = function (this: unknown, ...given: unknown[]) {
      step();
      return real.apply(this, given);
    };
    Object.assign(of, { [name]: watched });
    this.#undo.push(() => Object.assign(of, { [name]: real }));
  }
}
