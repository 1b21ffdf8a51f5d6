// The newest events of issues and work orders in memory, for those who follow them.
import { work_limits } from "../../model/work/limits.ts";
import type { StoredWork } from "./commit.ts";
import type { Work } from "./work.ts";

type WorkEvent = StoredWork["events"][number];

/** The last events in the order of their stamps; what is older is known to be gone. */
export class WorkTail {
  readonly #work: Work;
  #events: WorkEvent[] = [];
  /** Every event after this stamp is here. */
  #since_us: number;

  constructor({ work, since_us }: { readonly work: Work; readonly since_us: number }) {
    this.#work = work;
    this.#since_us = since_us;
    work.listen(({ events }) => this.#grow(events));
  }

  /** The stamp after which nothing has happened. */
  get now_us(): number {
    return this.#events.at(-1)?.occurred_at ?? this.#since_us;
  }

  /** A project's events after a stamp; undefined where some of them are gone. */
  after(project_no: number, stamp_us: number): readonly WorkEvent[] | undefined {
    if (stamp_us < this.#since_us) return undefined;
    return this.#events.filter((event) =>
      event.project_no === project_no && event.occurred_at > stamp_us
    );
  }

  /** Calls `onEvents` after each commit of events of a project; gives the way to stop that. */
  listen(project_no: number, onEvents: () => void): () => void {
    return this.#work.listen(({ events }) => {
      if (events.some((event) => event.project_no === project_no)) onEvents();
    });
  }

  #grow(events: readonly WorkEvent[]): void {
    const all = [...this.#events, ...events];
    const gone = all.length - work_limits.tail_events;
    // Events of one write share their stamp: they go together.
    if (gone > 0) this.#since_us = all[gone - 1].occurred_at;
    this.#events = all.filter(({ occurred_at }) => occurred_at > this.#since_us);
  }
}
