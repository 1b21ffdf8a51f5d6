// An embedded database in a process of its own: asked by lines of JSON, several at a time.
import type { Child } from "./process.ts";

/** What a host is asked: to run a statement, to read the rows of one, to load a file. */
export type Asked =
  | { readonly run: string }
  | { readonly rows: string }
  | { readonly load: string; readonly client: number };

/** A host that answers `{"id", "rows"}`, or `{"id", "error"}`, in any order. */
export class Host {
  readonly child: Child;
  readonly #waiting = new Map<number, PromiseWithResolvers<number>>();
  #id = 0;

  constructor(child: Child) {
    this.child = child;
  }

  /** Gives the number of rows that were read; throws what the database said. */
  async ask(asked: Asked): Promise<number> {
    const id = this.#id++;
    const answer = Promise.withResolvers<number>();
    this.#waiting.set(id, answer);
    // The line that comes next may be the answer to another question.
    this.child.ask(JSON.stringify({ id, ...asked })).then((line) => this.#take(line))
      .catch(answer.reject);
    return await answer.promise;
  }

  #take(line: string): void {
    const { id, rows = 0, error } = JSON.parse(line);
    const answer = this.#waiting.get(id)!;
    this.#waiting.delete(id);
    if (error === undefined) answer.resolve(rows);
    else answer.reject(new Error(error));
  }
}
