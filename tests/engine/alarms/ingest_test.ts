// A source's alarms into the database: waiting events, changes, refusals.
import assert from "node:assert/strict";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { fold } from "../../../src/model/alarms/fold.ts";
import { at, at_us, eventRow, snapshotRow, withAlarms } from "./ingest_help.ts";
import { queryRows, runQuery } from "../../help/query.ts";

const nothing = { accepted: 0, duplicates: 0, rejected_count: 0, rejected: [], waiting: 0 };

Deno.test("a snapshot becomes an occurrence that was raised", () =>
  withAlarms(async ({ send, one, events }) => {
    assert.deepEqual(await send([snapshotRow("a")]), { ...nothing, accepted: 1 });
    const occurrence = await one("a");
    assert.equal(occurrence?.status, "open");
    assert.equal(occurrence?.site_no, 1);
    assert.equal(occurrence?.raised_at, at_us(0));
    const [raised, ...more] = await events("a");
    assert.deepEqual([raised.type, raised.kind, raised.created_at, more.length], [
      "raised",
      "lifecycle",
      at_us(0),
      0,
    ]);
  }));

Deno.test("a source's own raised event stands alone", () =>
  withAlarms(async ({ send, events }) => {
    const raised = { event_id: "r", type: "raised", kind: "lifecycle", created_at: at(0) };
    await send([snapshotRow("a", { events: [raised] })]);
    await send([{ ...raised, occurrence_id: "b" }, snapshotRow("b")]);
    for (const id of ["a", "b"]) {
      assert.deepEqual((await events(id)).map((it) => it.event_id), ["r"]);
    }
  }));

Deno.test("the latest updated_at wins, the same and older ones are duplicates", () =>
  withAlarms(async ({ send, one, events }) => {
    const second = snapshotRow("a", { updated_at: at(2), status: "claimed", last_value: 51 });
    assert.equal((await send([snapshotRow("a", { updated_at: at(1) })])).accepted, 1);
    assert.equal((await send([second])).accepted, 1);
    assert.equal((await send([second])).duplicates, 1);
    assert.equal((await send([snapshotRow("a", { severity: "low" })])).duplicates, 1);
    const occurrence = await one("a");
    assert.deepEqual(
      [occurrence?.status, occurrence?.last_value, occurrence?.severity],
      ["claimed", 51, "high"],
    );
    const [, updated, ...more] = await events("a");
    assert.equal(updated.type, "source_updated");
    assert.deepEqual(JSON.parse(updated.detail!), { status: "claimed", last_value: 51 });
    assert.equal(more.length, 0);
  }));

Deno.test("of two snapshots of one instant the later comer holds", () =>
  withAlarms(async ({ send, one }) => {
    await send([snapshotRow("a", { last_value: 1 })]);
    assert.equal((await send([snapshotRow("a", { last_value: 2 })])).accepted, 1);
    assert.equal((await one("a"))?.last_value, 2);
  }));

Deno.test("a snapshot that only says that it is newer makes no event", () =>
  withAlarms(async ({ send, one, events }) => {
    await send([snapshotRow("a")]);
    assert.equal((await send([snapshotRow("a", { updated_at: at(5) })])).accepted, 1);
    assert.equal((await one("a"))?.updated_at, at_us(5));
    assert.equal((await events("a")).length, 1);
  }));

Deno.test("events wait for their occurrence and join it", () =>
  withAlarms(async ({ send, events, database }) => {
    const early = [eventRow("a", "e1"), eventRow("a", "e2", { detail: { n: 1 } })];
    assert.deepEqual(await send(early), { ...nothing, accepted: 2, waiting: 2 });
    assert.deepEqual(await send([...early, eventRow("b", "e1")]), {
      ...nothing,
      accepted: 1,
      duplicates: 2,
      waiting: 1,
    });
    await send([snapshotRow("a")], "p1");
    assert.deepEqual((await events("a")).map((it) => it.event_id), ["wk-000001", "e1", "e2"]);
    assert.deepEqual(await send(early), { ...nothing, duplicates: 2 });
    const [{ n }] = await database.read((connection) =>
      queryRows<{ n: number }>(connection, "SELECT count(*)::INTEGER AS n FROM waiting_event")
    );
    assert.equal(n, 1);
  }));

Deno.test("only so many events wait: further ones are rejected", () =>
  withAlarms(async ({ send, database }) => {
    const more = alarm_limits.waiting_events - 1;
    await database.write(({ connection }) =>
      runQuery(
        connection,
        "INSERT INTO waiting_event BY NAME SELECT 1 AS project_no, 'w' AS occurrence_id, " +
          "i::VARCHAR AS event_id, 't' AS type, 'k' AS kind, 0 AS created_at " +
          "FROM range($more::BIGINT) AS r(i)",
        { more },
      )
    );
    const { waiting, rejected } = await send([
      eventRow("a", "e1"),
      eventRow("a", "e2"),
      eventRow("b", "e1"),
      snapshotRow("b"),
    ]);
    assert.equal(waiting, 1);
    assert.deepEqual(rejected.map(({ line, occurrence_id }) => [line, occurrence_id]), [[2, "a"]]);
    assert.match(rejected[0].reason, /^100000 events, or .* wait for their occurrence already/);
    assert.equal((await send([eventRow("a", "e1")], "p2")).waiting, 1);
  }));

Deno.test("the texts of a project's waiting events are bounded together", () =>
  withAlarms(async ({ send, database }) => {
    const left = alarm_limits.waiting_length - 20;
    await database.write(({ connection }) =>
      runQuery(
        connection,
        "INSERT INTO waiting_event BY NAME SELECT 1 AS project_no, 'w' AS occurrence_id, " +
          "'e' AS event_id, 't' AS type, 'k' AS kind, 0 AS created_at, " +
          "repeat('x', $left::BIGINT - 10) AS body, repeat('y', 10) AS detail",
        { left },
      )
    );
    const long = { body: "b".repeat(12), detail: { d: 1 } };
    const { waiting, rejected } = await send([
      eventRow("a", "e1", long),
      eventRow("a", "e2", long),
      eventRow("b", "e1"),
    ]);
    assert.deepEqual([waiting, rejected.map(({ line }) => line)], [1, [2, 3]]);
    assert.equal((await send([eventRow("a", "e2", long)], "p2")).waiting, 1);
  }));

Deno.test("another project's occurrence of the same id is another one", () =>
  withAlarms(async ({ send, one, events }) => {
    await send([snapshotRow("a"), eventRow("a", "e1")]);
    const other = snapshotRow("a", { site: "west", severity: "low" });
    assert.equal((await send([eventRow("a", "e1")], "p2")).waiting, 1);
    assert.equal((await send([other], "p2")).accepted, 1);
    assert.equal((await one("a", 1))?.severity, "high");
    assert.equal((await one("a", 2))?.severity, "low");
    assert.equal((await one("a", 2))?.site_no, 3);
    assert.equal((await events("a", 2)).length, 2);
  }));

Deno.test("rows that contradict what is known are rejected, their neighbours kept", () =>
  withAlarms(async ({ send, one }) => {
    await send([snapshotRow("a")]);
    const { accepted, rejected } = await send([
      snapshotRow("b"),
      snapshotRow("a", { updated_at: at(1), resolution_policy: "auto" }),
      snapshotRow("c", { site: "nroth" }),
      snapshotRow("d", { resolution_policy: "manual" }),
      snapshotRow("d", { resolution_policy: "auto", updated_at: at(9) }),
    ]);
    assert.equal(accepted, 2);
    assert.deepEqual(rejected, [
      {
        line: 2,
        occurrence_id: "a",
        reason: "resolution_policy: is require_both and can't change to auto",
      },
      {
        line: 3,
        occurrence_id: "c",
        reason: "site: the project has no such site; meant north?",
      },
      {
        line: 5,
        occurrence_id: "d",
        reason: "resolution_policy: is manual and can't change to auto",
      },
    ]);
    assert.equal((await one("a"))?.resolution_policy, "require_both");
    assert.equal(await one("c"), undefined);
  }));

Deno.test("a project of several sites must be told which, once", () =>
  withAlarms(async ({ send, one }) => {
    const [first, second] = (await send(
      [snapshotRow("a"), snapshotRow("a", { site: "s2" })],
      "p2",
    )).rejected;
    assert.equal(first.reason, "site: is missing; give one of east, west");
    assert.equal(second, undefined);
    assert.equal((await send([snapshotRow("a", { updated_at: at(1) })], "p2")).accepted, 1);
    const [{ reason }] = (await send([snapshotRow("a", { site: "west" })], "p2")).rejected;
    assert.equal(reason, "site: the occurrence is of another one");
    assert.equal((await one("a", 2))?.site_no, 2);
  }));

Deno.test("alarms of the service's own rules can't be sent", () =>
  withAlarms(async ({ send, alarms }) => {
    await send([snapshotRow("a")]);
    await alarms.write(async (changes) => {
      await changes.load({ project_no: 1, ids: ["a"] });
      changes.change({ ...changes.find(1, "a")!, origin: "rule" }, []);
      const { occurrence_no: _, ...draft } = changes.find(1, "a")!;
      changes.raise({ ...draft, occurrence_id: "own", origin: "rule" }, []);
    });
    const { rejected } = await send([
      snapshotRow("own", { updated_at: at(1) }),
      eventRow("own", "e1"),
    ]);
    const reason = "occurrence_id: is of an alarm that a rule of this service raised";
    assert.deepEqual(rejected.map((it) => it.reason), [reason, reason]);
  }));

Deno.test("a source without a queue leaves the operators' one as it is", () =>
  withAlarms(async ({ send, one, alarms, events }) => {
    const silent = (said: object) => snapshotRow("a", { status: undefined, ...said });
    await send([silent({ resolution_policy: "auto" })]);
    await alarms.write(async (changes) => {
      await changes.load({ project_no: 1, ids: ["a"] });
      const known = changes.find(1, "a")!;
      const claimed = { ...known, status: "claimed", claimed_by: "u" } as const;
      changes.change(claimed, [{ type: "claimed", kind: "operator", created_at: at_us(2) }]);
      const shelved = { ...claimed, status: "shelved", resumes: "claimed" } as const;
      changes.change(shelved, [{ type: "shelved", kind: "operator", created_at: at_us(3) }]);
    });
    const policy = { resolution_policy: "auto" };
    await send([silent({ ...policy, updated_at: at(4), last_value: 9 })]);
    assert.deepEqual([(await one("a"))?.status, (await one("a"))?.last_value], ["shelved", 9]);
    await send([silent({ ...policy, updated_at: at(5), last_value: 9, cleared_at: at(5) })]);
    const ended = await one("a");
    assert.deepEqual([ended?.status, ended?.claimed_by, ended?.resumes], ["claimed", "u", null]);
    assert.deepEqual(fold(await events("a")), { status: "claimed", cleared: true });
  }));

Deno.test("a user of the organization is known by address or id, another kept as sent", () =>
  withAlarms(async ({ send, users, events }) => {
    const person = { organization: "o1", first_name: "Anna", last_name: "A" };
    const anna = await users.create({ ...person, email: "anna@example.org" });
    await send([
      snapshotRow("a", { events: [] }),
      eventRow("a", "e1", { user_email: "Anna@Example.org" }),
      eventRow("a", "e2", { user_email: "bob@example.org", user_id: "7" }),
      eventRow("a", "e3", { user_id: anna.id }),
      eventRow("a", "e4", { user_id: "8", external_user_id: "nine" }),
    ]);
    const rows = (await events("a")).slice(1);
    assert.deepEqual(
      rows.map((it) => [it.user_id, it.user_email, it.external_user_id]),
      [
        [anna.id, null, null],
        [null, "bob@example.org", "7"],
        [anna.id, null, null],
        [null, null, "nine"],
      ],
    );
  }));

Deno.test("an id as the service's own is set apart, unless it is one that comes back", () =>
  withAlarms(async ({ send, events }) => {
    await send([snapshotRow("a"), snapshotRow("a", { updated_at: at(2), last_value: 1 })]);
    const own = await events("a");
    assert.deepEqual(own.map((it) => it.event_id), ["wk-000001", "wk-000002"]);
    const back = own.map(({ event_id, type, kind, created_at }) => ({
      ...{ occurrence_id: "a", event_id, type, kind },
      created_at: new Date(created_at / 1000).toISOString(),
    }));
    assert.equal((await send(back)).duplicates, 2);
    const foreign = eventRow("a", "wk-000002", { type: "claimed" });
    assert.equal((await send([foreign])).accepted, 1);
    assert.equal((await send([foreign])).duplicates, 1);
    const ids = (await events("a")).map((it) => it.event_id);
    assert.deepEqual(ids, ["wk-000001", "sent-wk-000002", "wk-000002"]);
    assert.deepEqual(fold(await events("a")), { status: "open", cleared: false });
  }));

Deno.test("what an operator did here later than a snapshot stays, its condition is taken", () =>
  withAlarms(async ({ send, one, alarms, events, clock }) => {
    await send([snapshotRow("a")]);
    await alarms.write(async (changes) => {
      await changes.load({ project_no: 1, ids: ["a"] });
      const claimed = { status: "claimed", claimed_by: "u", updated_at: clock.now_us } as const;
      const event = { type: "claimed", kind: "operator", created_at: clock.now_us };
      changes.change({ ...changes.find(1, "a")!, ...claimed }, [event]);
    });
    // The source's clock is ten minutes behind, and it knows nothing of the operator.
    assert.equal((await send([snapshotRow("a", { updated_at: at(50) })])).accepted, 1);
    const cleared = snapshotRow("a", { updated_at: at(51), cleared_at: at(51) });
    assert.equal((await send([cleared])).accepted, 1);
    assert.equal((await send([cleared])).duplicates, 1);
    assert.equal((await send([snapshotRow("a", { updated_at: at(49) })])).duplicates, 1);
    const after = (await one("a"))!;
    assert.deepEqual([after.status, after.claimed_by, after.cleared_at], [
      "claimed",
      "u",
      at_us(51),
    ]);
    assert.ok(after.updated_at > clock.now_us);
    assert.deepEqual(fold(await events("a")), { status: "claimed", cleared: true });
    const resolved = { status: "resolved", resolution: "done", cleared_at: at(51) };
    await send([snapshotRow("a", { updated_at: at(61), ...resolved })]);
    assert.equal((await one("a"))?.status, "resolved");
    assert.deepEqual(fold(await events("a")), { status: "resolved", cleared: true });
  }));
