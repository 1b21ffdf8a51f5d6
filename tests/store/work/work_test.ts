// Issues and work orders as they are kept: lists and their filters, links, stamps, numbers.
import assert from "node:assert/strict";
import type { WorkUnitOfWork } from "../../../src/engine/work/unit_of_work.ts";
import { history_columns, issue_columns } from "../../../src/model/work/issue_shape.ts";
import { mergeStep } from "../../../src/model/work/issue.ts";
import { work_order_columns } from "../../../src/model/work/work_order_shape.ts";
import { type Chunk, wordAt } from "../../../src/model/data/chunk.ts";
import { showHistory } from "../../../src/engine/work/view.ts";
import { type IssueFilter, listIssues, readIssue } from "../../../src/store/work/issue.ts";
import {
  listWorkOrders,
  readWorkOrder,
  type WorkOrderFilter,
} from "../../../src/store/work/work_order.ts";
import { readHistory, readLinks } from "../../../src/store/work/record.ts";
import { instantText } from "../../../src/wire/bytes/instant.ts";
import { issueDraft, openWork, orderDraft, type WorkPlace } from "../../help/work.ts";

type Row = { readonly id: string; readonly name?: string; readonly title?: string };

async function rowsOf(chunks: Promise<Iterable<Chunk>>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { rows: count, vectors: [vector] } of await chunks) {
    assert.ok(vector.kind === "text" && vector.codes === undefined);
    for (let i = 0; i < count; i++) rows.push(JSON.parse(wordAt(vector.words, i)));
  }
  return rows;
}

const issuesOf = ({ database }: WorkPlace, filter: Partial<IssueFilter> = {}) =>
  rowsOf(
    database.read((connection) => listIssues(connection, { project_no: 1, limit: 100, ...filter })),
  );

const ordersOf = ({ database }: WorkPlace, filter: Partial<WorkOrderFilter> = {}) =>
  rowsOf(
    database.read((connection) =>
      listWorkOrders(connection, { project_no: 1, limit: 100, ...filter })
    ),
  );

/** Writes in project 1 with these issues loaded; gives what `work` gives. */
function write<T>(
  { work }: WorkPlace,
  issue_ids: readonly string[],
  make: (changes: WorkUnitOfWork) => T,
): Promise<T> {
  return work.write(async (changes) => {
    await changes.load({ project_no: 1, issue_ids });
    return make(changes);
  });
}

/** A place with issues a to d, each of a write of its own, changed in the order a, b, d, c. */
async function openFour() {
  const place = await openWork();
  const stamps: Record<string, number> = {};
  const ids: Record<string, string> = {};
  for (const name of ["a", "c", "b", "d", "c"]) {
    place.clock.advance(1_000);
    ids[name] = await write(place, ids[name] ? [ids[name]] : [], (changes) => {
      stamps[name] = changes.write.stamp_us;
      const known = changes.issue(ids[name] ?? "");
      if (known) changes.changeIssue({ ...known, status: "on_hold" });
      const priority = name === "a" ? "urgent" : "low";
      return known?.id ?? changes.addIssue(issueDraft({ name, priority })).id;
    });
  }
  await place.work.write(async (changes) => {
    await changes.load({ project_no: 2 });
    changes.addIssue(issueDraft({ project_no: 2, name: "elsewhere" }));
  });
  return { place, stamps, ids };
}

Deno.test("a list of issues has each one's latest, in the order they changed", async () => {
  const { place, stamps } = await openFour();
  const filters: readonly (readonly [Partial<IssueFilter>, string])[] = [
    [{}, "abdc"],
    [{ project_no: 3 }, ""],
    [{ status: "on_hold" }, "c"],
    [{ status: "open", priority: "low" }, "bd"],
    [{ priority: "urgent" }, "a"],
    [{ since_us: stamps.b }, "bdc"],
    [{ since_us: stamps.b + 1 }, "dc"],
    [{ limit: 2 }, "ab"],
    [{ limit: 2, offset: 1 }, "bd"],
    [{ limit: 2, offset: 4 }, ""],
  ];
  for (const [filter, expected] of filters) {
    const names = (await issuesOf(place, filter)).map(({ name }) => name).join("");
    assert.equal(names, expected, JSON.stringify(filter));
  }
  await place.close();
});

Deno.test("a list of work orders is told by status, issue, device and change", async () => {
  const { place, ids } = await openFour();
  await write(place, [ids.a, ids.b], (changes) => {
    const [a, b] = [changes.issue(ids.a)!, changes.issue(ids.b)!];
    const line = (device_id: string) => ({ device_id, component: "inverter" });
    changes.addOrder(a, orderDraft({ title: "1", devices: [line("d1"), line("d2")] }));
    changes.addOrder(a, orderDraft({ title: "2", status: "draft", devices: [line("d2")] }));
    changes.addOrder(b, orderDraft({ title: "3", devices: [line('d1"')] }));
  });
  const filters: readonly (readonly [Partial<WorkOrderFilter>, string])[] = [
    [{}, "123"],
    [{ project_no: 2 }, ""],
    [{ status: "draft" }, "2"],
    [{ issue_id: ids.a }, "12"],
    [{ issue_id: "no one's" }, ""],
    [{ project_no: 2, issue_id: ids.a }, ""],
    [{ device_id: "d1" }, "1"],
    [{ device_id: "d2" }, "12"],
    [{ device_id: 'd1"' }, "3"],
    [{ device_id: "d" }, ""],
    [{ issue_id: ids.a, device_id: "d2", status: "open" }, "1"],
    [{ limit: 1, offset: 1 }, "2"],
    [{ since_us: Number.MAX_SAFE_INTEGER }, ""],
  ];
  for (const [filter, expected] of filters) {
    const titles = (await ordersOf(place, filter)).map(({ title }) => title).join("");
    assert.equal(titles, expected, JSON.stringify(filter));
  }
  await place.close();
});

Deno.test("what is deleted is in no list, read by no id, and counts on", async () => {
  const { place, ids } = await openFour();
  const order_id = await write(place, [ids.d], (changes) => {
    return changes.addOrder(changes.issue(ids.d)!, orderDraft()).id;
  });
  await write(place, [ids.d], (changes) => changes.deleteIssue(changes.issue(ids.d)!));
  assert.deepEqual((await issuesOf(place)).map(({ name }) => name), ["a", "b", "c"]);
  assert.deepEqual(await ordersOf(place), []);
  const { database } = place;
  await database.read(async (connection) => {
    assert.equal(await readIssue(connection, { project_no: 1, id: ids.d }), undefined);
    assert.equal(await readWorkOrder(connection, { project_no: 1, id: order_id }), undefined);
    assert.equal(await readIssue(connection, { project_no: 2, id: ids.a }), undefined);
    assert.equal((await readIssue(connection, { project_no: 1, id: ids.c }))?.version, 2);
  });
  await write(place, [ids.d], (changes) => {
    assert.equal(changes.issue(ids.d), undefined);
    // Four in project 1 and one in project 2 of the same organization.
    assert.equal(changes.addIssue(issueDraft()).number, 6);
  });
  await place.close();
});

Deno.test("writes at once, one of which fails, number on without a gap or a double", async () => {
  const place = await openWork();
  const add = (fails: number) =>
    place.work.write(async (changes) => {
      await changes.load({ project_no: 1 });
      const { number } = changes.addIssue(issueDraft());
      await changes.store();
      if (fails) throw new Error("on purpose");
      return number;
    }).catch(() => 0);
  assert.deepEqual(await Promise.all([0, 1, 0, 1, 1, 0].map(add)), [1, 0, 2, 0, 0, 3]);
  await place.close();
});

Deno.test("a merge moves work orders and links to the survivor", async () => {
  const { place, ids } = await openFour();
  await place.database.write(({ connection }) =>
    connection.script(
      "INSERT INTO occurrence (occurrence_no, occurrence_id) VALUES (1, 'x'), (2, 'y'), (3, 'z')",
    )
  );
  const alarm = (no: number, id: string) => ({ occurrence_no: no, occurrence_id: id });
  await write(place, [ids.a, ids.b], (changes) => {
    const [a, b] = [changes.issue(ids.a)!, changes.issue(ids.b)!];
    changes.addOrder(b, orderDraft({ title: "moves" }));
    changes.link(a, [alarm(1, "x"), alarm(1, "x")]);
    changes.link(b, [alarm(1, "x"), alarm(2, "y")]);
  });
  const stamp_us = await write(place, [ids.a, ids.b], (changes) => {
    const survivor = changes.issue(ids.a)!;
    const step = mergeStep(survivor, [changes.issue(ids.b)!]);
    assert.ok("merged" in step);
    changes.merge(survivor, step.merged);
    return changes.write.stamp_us;
  });
  const [{ title }] = await ordersOf(place, { issue_id: ids.a });
  assert.equal(title, "moves");
  await place.database.read(async (connection) => {
    const { issue_no } = (await readIssue(connection, { project_no: 1, id: ids.a }))!;
    const links = await readLinks(connection, [issue_no]);
    assert.deepEqual(links.map(({ occurrence_id }) => occurrence_id), ["x", "y"]);
    const history = await readHistory(connection, { project_no: 1, id: ids.a });
    assert.deepEqual(JSON.parse(history.find(({ kind }) => kind === "merged")!.detail!), {
      issue_ids: [ids.b],
      merged_at: instantText(stamp_us),
    });
    assert.deepEqual(
      Object.keys(showHistory(history[0], ids.a)),
      history_columns.map(({ name }) => name),
    );
    const merged = JSON.parse(
      (await readIssue(connection, { project_no: 1, id: ids.b }))!.snapshot,
    );
    assert.deepEqual([merged.status, merged.merged_into], ["merged", ids.a]);
  });
  await place.close();
});

Deno.test("snapshots have the declared fields, in their order", async () => {
  const { place, ids } = await openFour();
  await write(place, [ids.a], (changes) => changes.addOrder(changes.issue(ids.a)!, orderDraft()));
  const [order] = await ordersOf(place);
  const issue = (await issuesOf(place)).at(-1)!;
  assert.deepEqual(Object.keys(order), work_order_columns.map(({ name }) => name));
  assert.deepEqual(Object.keys(issue), issue_columns.map(({ name }) => name));
  await place.close();
});

Deno.test("a restart goes on after a comment, and counts on", async () => {
  const path = await Deno.makeTempFile({ suffix: ".duckdb" });
  await Deno.remove(path);
  const first = await openWork(path);
  const id = await write(first, [], (changes) => changes.addIssue(issueDraft()).id);
  await write(first, [id], (changes) => {
    changes.changeIssue(changes.issue(id)!, [{ kind: "commented", detail: { body: "hm" } }]);
  });
  const { committed_us } = first.database;
  await first.close();
  const again = await openWork(path);
  // The place writes as it opens.
  assert.ok(again.database.committed_us > committed_us);
  await write(again, [id], (changes) => {
    changes.changeIssue({ ...changes.issue(id)!, name: "other" });
    assert.equal(changes.addIssue(issueDraft()).number, 2);
  });
  const numbers = await again.rows(
    "SELECT (SELECT list(issue_no ORDER BY issue_no)::VARCHAR FROM issue) AS issues, " +
      "(SELECT list(history_no ORDER BY history_no)::VARCHAR FROM issue_history) AS history, " +
      "(SELECT list(snapshot_no ORDER BY snapshot_no)::VARCHAR FROM work_snapshot) AS snapshots",
  );
  assert.deepEqual(numbers, [{
    issues: "[1, 2]",
    history: "[1, 2, 3, 4]",
    snapshots: "[1, 2, 3]",
  }]);
  await again.close();
  await Deno.remove(path);
});
