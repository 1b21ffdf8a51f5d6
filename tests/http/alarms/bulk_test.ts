// One action on a selection: a result for each, in one transaction, bounded.
import { deepEqual, equal } from "node:assert/strict";
import { openActions } from "./action_help.ts";
import { queryRows } from "../../help/query.ts";

const until = "2026-06-01T13:00:00Z";

Deno.test("each of a selection has its own result, in the order of the selection", async () => {
  const { bulk, raise, anna, ben, tokens, services, close } = await openActions();
  await raise(
    { occurrence_id: "open" },
    { occurrence_id: "mine", status: "claimed", claimed_by: anna.id },
    { occurrence_id: "bens", status: "claimed", claimed_by: ben.id },
    { occurrence_id: "resolved", status: "resolved" },
    { occurrence_id: "theirs", project_no: 2, site_no: 2 },
  );
  const occurrence_ids = ["resolved", "open", "nowhere", "theirs", "bens", "mine"];
  const { status, data } = await bulk({ action: "claim", occurrence_ids }, tokens.anna);
  equal(status, 200);
  const missing = { ok: false, status: null, reason: "the project has no occurrence with this ID" };
  const reason = "it is claimed already: it has to be released first";
  deepEqual(data.results, [
    {
      occurrence_id: "resolved",
      ok: false,
      status: "resolved",
      reason: "it is resolved: reopen it first",
    },
    { occurrence_id: "open", ok: true, status: "claimed", reason: null },
    { occurrence_id: "nowhere", ...missing },
    { occurrence_id: "theirs", ...missing },
    { occurrence_id: "bens", ok: false, status: "claimed", reason },
    { occurrence_id: "mine", ok: true, status: "claimed", reason: null },
  ]);
  const stamps = await services.database.read((connection) =>
    queryRows(connection, "SELECT DISTINCT synced_at FROM occurrence_event WHERE type = 'claimed'")
  );
  equal(stamps.length, 1);
  await close();
});

Deno.test("a selection of the most there may be is shelved, again, and commented on", async () => {
  const { bulk, raise, tokens, services, close } = await openActions();
  const occurrence_ids = Array.from({ length: 1000 }, (_, i) => `alarm ${i}`);
  await raise(...occurrence_ids.map((occurrence_id) => ({ occurrence_id })));
  const eventCount = async () =>
    (await services.database.read((it) =>
      queryRows(it, "SELECT count(*)::INTEGER AS count FROM occurrence_event")
    ))[0].count;
  const all = async (body: object) => {
    const { status, data } = await bulk({ ...body, occurrence_ids }, tokens.ben);
    equal(status, 200);
    return (data.results as { ok: boolean }[]).filter(({ ok }) => ok).length;
  };
  const shelve = { action: "shelve", until, reason: "Grid works" };
  deepEqual([await all(shelve), await eventCount()], [1000, 2000]);
  deepEqual([await all(shelve), await eventCount()], [1000, 2000]);
  const comment = { action: "comment", body: "Grid works until one" };
  deepEqual([await all(comment), await eventCount()], [1000, 3000]);
  deepEqual([await all(comment), await eventCount()], [1000, 3000]);
  await close();
});

Deno.test("a bad selection is refused whole", async () => {
  const { bulk, raise, tokens, services, close } = await openActions();
  await raise({ occurrence_id: "x" });
  const many = Array.from({ length: 1001 }, (_, i) => `${i}`);
  const bad: readonly (readonly [unknown, readonly string[]])[] = [
    [{ action: "claim", occurrence_ids: [] }, ["occurrence_ids"]],
    [{ action: "claim", occurrence_ids: many }, ["occurrence_ids"]],
    [{ action: "claim", occurrence_ids: ["x", "x"] }, ["occurrence_ids"]],
    [{ action: "claim", occurrence_ids: ["x", 7] }, ["occurrence_ids[1]"]],
    [{ action: "claim", occurrence_ids: "x" }, ["occurrence_ids"]],
    [{ action: "clam", occurrence_ids: ["x"] }, ["action"]],
    [{ occurrence_ids: ["x"] }, ["action"]],
    [{ action: "claim", occurrence_ids: ["x"], note: "x" }, ["note"]],
    [{ action: "shelve", occurrence_ids: ["x"], until: "soon", reason: "x" }, ["until"]],
    [{ action: "resolve", occurrence_ids: ["x"] }, ["note"]],
    ["[]", [""]],
  ];
  for (const [body, paths] of bad) {
    const { status, data } = await bulk(body, tokens.anna);
    const flaws = data.errors as { path: string }[];
    deepEqual([status, flaws?.map(({ path }) => path)], [400, paths], JSON.stringify(body));
  }
  equal((await bulk({ action: "claim", occurrence_ids: ["x"] }, tokens.machine)).status, 400);
  const { committed_us } = services.database;
  equal((await bulk({ action: "release", occurrence_ids: ["x"] }, tokens.anna)).status, 200);
  equal(services.database.committed_us > committed_us, true);
  await close();
});
