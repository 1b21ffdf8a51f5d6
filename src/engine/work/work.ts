// The issues and work orders of the installation: writes their changes, tells who listens.
import type { Effects } from "../../base/effects.ts";
import type { Project } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { Database, Write } from "../../store/database.ts";
import { findUnshared, readLastPlaces } from "../../store/work/change.ts";
import { readIssues } from "../../store/work/issue.ts";
import { readWorkCounts, type WorkCounts } from "../../store/work/number.ts";
import { forgetLog, readSharedProjects } from "../../store/work/place.ts";
import { readWorkOrders } from "../../store/work/work_order.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Journal } from "../core/transaction_hooks.ts";
import type { Users } from "../access/user.ts";
import { foldLong } from "./fold.ts";
import { placeIssues } from "./place.ts";
import { type FreshChange, freshChange, keepChanges, wholeChanges } from "./share.ts";
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
  readonly #shared: Set<number>;
  /** Projects that were looked through since the start. */
  readonly #whole = new Set<number>();
  /** Whether the service is a gateway: its centre numbers, merges and deletes. */
  has_centre = false;
  /** Called when a project is shared, before anything of it is told. */
  onShare: (project: Project) => Promise<void> = () => Promise.resolve();

  private constructor(
    parts: WorkParts,
    { counts, shared }: { readonly counts: WorkCounts; readonly shared: readonly number[] },
  ) {
    super(parts.database);
    this.#parts = parts;
    this.#counts = counts;
    this.#shared = new Set(shared);
  }

  /** Reads how far the counts are. */
  static async open(parts: WorkParts): Promise<Work> {
    const kept = await parts.database.read(async (connection) => ({
      counts: await readWorkCounts(connection),
      shared: await readSharedProjects(connection),
    }));
    return new Work(parts, kept);
  }

  /** The projects whose changes are kept for another service. */
  get shared(): ReadonlySet<number> {
    return this.#shared;
  }

  begin(write: Write): WorkUnitOfWork {
    const { has_centre, marks } = this;
    const known = { counts: this.#counts, shared: this.#shared };
    return new WorkUnitOfWork(write, { ...this.#parts, ...known, has_centre, marks });
  }

  /** Keeps every change of a project from now on, and what there is of it, for another service. */
  async share(project: Project): Promise<void> {
    const { project_no } = project;
    if (this.#whole.has(project_no)) return;
    while (await this.#shareSome(project_no, []));
    await this.onShare(project);
    this.#whole.add(project_no);
  }

  /**
   * Keeps what there is of deleted issues and work orders, too: who was away for longer than the
   * log goes back tells of them.
   */
  async shareDeleted({ project_no }: Project, ids: readonly string[]): Promise<void> {
    const asked = { project_no, deleted_ids: ids, limit: 1 };
    const found = await this.#parts.database.read((it) => findUnshared(it, asked));
    if (found.length > 0) { while (await this.#shareSome(project_no, ids)); }
  }

  /** Keeps what there is of some issues that no change is kept of; gives whether there are more. */
  #shareSome(project_no: number, deleted_ids: readonly string[]): Promise<boolean> {
    const limit = upstream_limits.work_share;
    return this.#parts.database.write(async ({ connection, now_us }) => {
      const issue_nos = await findUnshared(connection, { project_no, deleted_ids, limit });
      const issues = await readIssues(connection, issue_nos);
      const orders = await readWorkOrders(connection, { issue_nos, deleted: true });
      const owner_ids = [...issues, ...orders].map(({ id }) => id);
      const old = await readLastPlaces(connection, { project_no, owner_ids });
      const changes = await wholeChanges(connection, issue_nos, { ...this.#parts, now_us });
      const rows = changes.map((it) => freshChange(it, { project_no, stored_at: now_us }));
      await keepChanges(connection, rows, this.#counts);
      const placed = issues.map((issue) => ({
        issue,
        orders: orders.filter(({ issue_no }) => issue_no === issue.issue_no),
      }));
      const tools = { ...this.#parts, counts: this.#counts, made_at: null, old };
      await placeIssues(connection, { project_no, placed }, tools);
      this.#shared.add(project_no);
      return issue_nos.length === limit;
    });
  }

  /** Keeps changes of photos of a project that is shared. */
  keepPhotos({ connection }: Write, rows: readonly FreshChange[]): Promise<void> {
    const shared = rows.filter(({ project_no }) => this.#shared.has(project_no));
    return keepChanges(connection, shared, this.#counts);
  }

  /** Keeps no changes of a project any more: nobody reads them. */
  async unshare(project_no: number): Promise<void> {
    await this.#parts.database.write(async ({ connection }) => {
      await forgetLog(connection, project_no);
      this.#shared.delete(project_no);
      this.#whole.delete(project_no);
    });
  }

  /** Makes one of the old changes of some things; gives whether there are more. */
  fold(project_no: number): Promise<boolean> {
    return this.#parts.database.write((write) => foldLong(write, project_no, this.#counts));
  }

  protected isNothing({ events }: StoredWork): boolean {
    return events.length === 0;
  }
}
