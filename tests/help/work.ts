// Issues and work orders for tests: what is not said is ordinary; and a place to write them.
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Users } from "../../src/engine/access/user.ts";
import { Work } from "../../src/engine/work/work.ts";
import type { Issue, IssueDraft } from "../../src/model/work/issue.ts";
import type { WorkOrder, WorkOrderDraft, WorkOrderLine } from "../../src/model/work/work_order.ts";
import type { Plain } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { type Clock, fakeEffects } from "./effects.ts";
import { queryRows } from "./query.ts";

/** A draft of an issue of project 1. */
export function issueDraft(said: Partial<IssueDraft> = {}): IssueDraft {
  return {
    project_no: 1,
    sentinel_tag: null,
    name: "Inverter stands still",
    description: null,
    priority: "medium",
    source: "manual",
    external_id: null,
    effective_from: null,
    effective_to: null,
    assigned_to: null,
    created_by: null,
    devices: [],
    ...said,
  };
}

/** A draft of a work order. */
export function orderDraft(said: Partial<WorkOrderDraft> = {}): WorkOrderDraft {
  return {
    title: "Replace the fan",
    description: null,
    status: "open",
    priority: "medium",
    due_date: null,
    work_type: "corrective",
    external_system: null,
    external_id: null,
    external_ref: null,
    external_url: null,
    payload: null,
    assigned_to: null,
    created_by: null,
    devices: [],
    ...said,
  };
}

/** An issue as it is kept. */
export function issueOf(said: Partial<Issue> = {}): Issue {
  return {
    ...issueDraft(),
    ...{ issue_no: 1, id: "issue-1", organization_id: "o1", number: 1, status: "open" },
    ...{ resolved_at: null, created_at: 0, updated_at: 0, deleted_at: null, merged_into: null },
    ...{ version: 1, snapshot_no: 1 },
    ...said,
  };
}

/** A work order as it is kept. */
export function orderOf(said: Partial<WorkOrder> = {}): WorkOrder {
  return {
    ...orderDraft(),
    ...{ work_order_no: 1, id: "order-1", organization_id: "o1", project_no: 1, number: 1 },
    ...{ issue_no: 1, devices: [], created_at: 0, updated_at: 0, deleted_at: null, version: 1 },
    ...{ snapshot_no: 1 },
    ...said,
  };
}

/** A line of a work order, pending. */
export function lineOf(device_id: string, said: Partial<WorkOrderLine> = {}): WorkOrderLine {
  return { device_id, component: "inverter", status: "pending", completed_at: null, ...said };
}

/** Where work is written in a test. */
export type WorkPlace = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly clock: Clock;
  readonly work: Work;
  readonly rows: <Row extends Record<string, Plain>>(sql: string) => Promise<Row[]>;
  readonly close: () => Promise<void>;
};

/** Opens a database of projects 1 and 2 of organization o1, and project 3 of o2. */
export async function openWork(path = ":memory:"): Promise<WorkPlace> {
  const { effects, clock } = fakeEffects();
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 256 });
  await database.write(({ connection }) =>
    connection.script(
      "INSERT INTO project SELECT no, 'p' || no, org, 'key-' || no, 'P', NULL, 'UTC' " +
        "FROM (VALUES (1, 'o1'), (2, 'o1'), (3, 'o2')) AS v(no, org) " +
        "WHERE (SELECT count(*) FROM project) = 0",
    )
  );
  const catalog = await Catalog.load(database);
  const users = await Users.open({ database, catalog, effects });
  return {
    database,
    catalog,
    users,
    clock,
    work: await Work.open({ database, catalog, users, effects }),
    rows: (sql) => database.read((connection) => queryRows(connection, sql)),
    close: () => database.close(),
  };
}
