// The issues and work orders of the installation: writes their changes, tells who listens.
import type { Effects } from "../../base/effects.ts";
import type { Database, Write } from "../../store/database.ts";
import { readWorkCounts, type WorkCounts } from "../../store/work/number.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Journal } from "../core/transaction_hooks.ts";
import type { Users } from "../access/user.ts";
import { WorkUnitOfWork } from "./unit_of_work.ts";
import type { StoredWork, WorkMark } from "./commit.ts";

/** What issues and work orders work with. */
type WorkParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** The one way to write issues and work orders. */
export class Work extends Journal<WorkUnitOfWork, WorkMark, StoredWork> {
  readonly #parts: WorkParts;
  readonly #counts: WorkCounts;

  private constructor(parts: WorkParts, counts: WorkCounts) {
    super(parts.database);
    this.#parts = parts;
    this.#counts = counts;
  }

  /** Reads how far the counts are. */
  static async open(parts: WorkParts): Promise<Work> {
    return new Work(parts, await parts.database.read(readWorkCounts));
  }

  begin(write: Write): WorkUnitOfWork {
    return new WorkUnitOfWork(write, { ...this.#parts, counts: this.#counts, marks: this.marks });
  }

  protected isNothing({ events }: StoredWork): boolean {
    return events.length === 0;
  }
}
