// Declared resets of counters through HTTP: what they settle, how they fit, and who declares them.
import { deepEqual, equal, match } from "node:assert/strict";
import { counter_limits } from "../../../src/model/counters/limits.ts";
import { reset_table } from "../../../src/store/counters/reset.ts";
import { appendRows } from "../../../src/store/table.ts";
import {
  at,
  energies,
  type Json,
  openCounters,
  samplesOf,
  spacings,
  tagged,
} from "../../help/counter.ts";

Deno.test("a declared reset settles its step, is listed, and can be taken back", async () => {
  const service = await openCounters();
  await service.send(tagged.filter(({ name }) => name === "replaced_lower").flatMap(samplesOf));
  await service.settle();
  equal((await energies(service)).get("replaced_lower_5"), 6);
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  const reset = { tag: "replaced_lower_5", at: at(8), last_value: 5003, first_value: 1 };
  const [status, made] = await service.call("POST", path, reset);
  equal(status, 201);
  const { reset_id, ...shown } = made;
  deepEqual(shown, {
    sensor_tag: "replaced_lower_5",
    at: "2026-06-01T10:08:00.000000Z",
    last_value: 5003,
    first_value: 1,
    author: "test",
    before_ts: "2026-06-01T10:05:00.000000Z",
    before_value: 5002,
    ts: "2026-06-01T10:10:00.000000Z",
    value: 2,
    fit: "fits",
  });
  await service.settle();
  // 5002 to 5003, then 1 to 2.
  equal((await energies(service)).get("replaced_lower_5"), 8);
  const rows = (await service.list()).filter((row) => row.sensor_tag === "replaced_lower_5");
  deepEqual(
    rows.map((
      { kind, before_value, value, counted, reset_id, reset_at, author, applied, fit },
    ) => [kind, before_value, value, counted, reset_id, reset_at, author, applied, fit]),
    [["reset", 5002, 2, 2, reset_id, "2026-06-01T10:08:00.000000Z", "test", true, "fits"]],
  );
  equal((await service.call("POST", path, reset))[0], 409);
  const one = `/platform/v1/counters/resets/${reset_id}?project_id=${service.id}`;
  deepEqual(await service.call("DELETE", one), [200, made]);
  equal((await service.call("DELETE", one))[0], 404);
  await service.settle();
  equal((await energies(service)).get("replaced_lower_5"), 6);
  deepEqual(
    (await service.list()).map(({ kind }) => kind),
    ["new_track", "new_track", "new_track"],
  );
  await service.close();
});

Deno.test("a wrong reset is refused with its flaws, and who may not declare one", async () => {
  const service = await openCounters();
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  const reset = { tag: "sound_1", at: at(1), last_value: 1, first_value: 0 };
  const flawOf = async (more: Json) => {
    const [status, { errors }] = await service.call("POST", path, { ...reset, ...more });
    equal(status, 400);
    return (errors as { path: string }[]).map(({ path }) => path);
  };
  deepEqual(await flawOf({ tag: "no such" }), ["tag"]);
  deepEqual(await flawOf({ at: "2026-06-01" }), ["at"]);
  deepEqual(await flawOf({ at: "2026-02-30T10:00:00Z" }), ["at"]);
  deepEqual(await flawOf({ last_value: "1" }), ["last_value"]);
  const { token } = await service.services.access.create({
    ...{ name: "reader", organization_id: null, project_ids: null, expires_at: null },
    scopes: ["read", "operate"],
  });
  const refused = await service.fetch(path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(reset),
  });
  equal(refused.status, 403);
  await refused.body?.cancel();
  await service.close();
});

Deno.test("a site file declares resets, shows them and takes them back", async () => {
  const service = await openCounters();
  await service.send(tagged.filter(({ name }) => name === "replaced_higher").flatMap(samplesOf));
  await service.settle();
  const resets = [{
    tag: "replaced_higher_15",
    at: "2026-06-01T10:20:00.000000Z",
    last_value: 113,
    first_value: 69_999,
  }];
  const [status, { changes }] = await service.apply({ counter_resets: resets });
  equal(status, 200);
  deepEqual(changes, [{
    action: "create",
    kind: "counter_reset",
    key: "replaced_higher_15 2026-06-01T10:20:00.000000Z",
    fields: [],
    history: true,
  }]);
  await service.settle();
  equal((await energies(service)).get("replaced_higher_15"), 8);
  const [row] = await service.list("&kind=reset");
  deepEqual([row.counted, row.author, row.last_value], [2, null, 113]);
  const [, shown] = await service.call("GET", "/admin/v1/sites/s");
  deepEqual(shown.counter_resets, resets);
  deepEqual((await service.apply({ counter_resets: resets }))[1].changes, []);
  const one = `/platform/v1/counters/resets/${row.reset_id}?project_id=${service.id}`;
  equal((await service.call("DELETE", one))[0], 409);
  equal((await service.apply({ counter_resets: [] }))[0], 200);
  await service.settle();
  equal((await energies(service)).get("replaced_higher_15"), 6);
  deepEqual(await service.list("&kind=reset"), []);
  const wrong = [...resets, resets[0], { ...resets[0], tag: "replaced_higher" }];
  const [code, { errors }] = await service.apply({ counter_resets: wrong });
  equal(code, 400);
  deepEqual(
    (errors as { path: string }[]).map(({ path }) => path),
    ["counter_resets[1].at", "counter_resets[2].tag"],
  );
  await service.close();
});

/** A reset of replaced_lower (5000, 5002 | 2, 4, 6 kWh) at each spacing, some time after 5002. */
const misfits = [
  // Twice the rated power of 1 MW, or more: 1.5 MW are possible.
  { last_value: 5002 + 4000, first_value: 0, told: "fits", fit: "impossible", applied: false },
  { last_value: 5001, first_value: 1, told: "last_value_low", applied: true },
  { last_value: 5003, first_value: 3, told: "first_value_high", applied: true },
  { last_value: 5002, first_value: 2, told: "fits", applied: true },
] as const;

for (const spacing of spacings) {
  Deno.test(`a reset says how it fits the readings around it, each ${spacing} min`, async () => {
    const service = await openCounters();
    const tag = `replaced_lower_${spacing}`;
    await service.send(tagged.filter((it) => it.tag === tag).flatMap(samplesOf));
    await service.settle();
    const path = `/platform/v1/counters/resets?project_id=${service.id}`;
    for (const { told, applied, ...reset } of misfits) {
      const fit = "fit" in reset ? reset.fit : told;
      const { last_value, first_value } = reset;
      const asked = { tag, at: at(1.5 * spacing), last_value, first_value };
      const [status, made] = await service.call("POST", path, asked);
      deepEqual([status, made.before_value, made.value, made.fit], [201, 5002, 2, told]);
      await service.settle();
      const [row] = await service.list("&kind=reset");
      deepEqual(
        [row.before_value, row.value, row.ts, row.applied, row.fit],
        [5002, 2, made.ts, applied, fit],
      );
      equal(
        (await energies(service)).get(tag),
        6 + Number(applied) * (last_value - 5000 - first_value),
      );
      const one = `/platform/v1/counters/resets/${made.reset_id}?project_id=${service.id}`;
      deepEqual(await service.call("DELETE", one), [200, made]);
    }
    for (const [minute, beside] of [[-1, [null, 5000]], [5 * spacing, [6, null]]] as const) {
      const asked = { tag, at: at(minute), last_value: 9, first_value: 0 };
      const [, made] = await service.call("POST", path, asked);
      deepEqual([made.before_value, made.value, made.fit], [...beside, "no_reading"]);
    }
    await service.settle();
    const rows = await service.list("&kind=reset");
    deepEqual(rows.map(({ applied, fit }) => [applied, fit]), [
      [false, "no_reading"],
      [false, "no_reading"],
    ]);
    await service.close();
  });
}

Deno.test("one counter and instant has one reset, of a request or of the site file", async () => {
  const service = await openCounters();
  await service.send(tagged.filter(({ name }) => name === "replaced_lower").flatMap(samplesOf));
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  const reset = { tag: "replaced_lower_5", at: at(8), last_value: 5003, first_value: 1 };
  const [, made] = await service.call("POST", path, reset);
  const other = { counter_resets: [{ ...reset, first_value: 0 }] };
  const [status, { errors }] = await service.apply(other);
  equal(status, 409);
  deepEqual((errors as Json[]).map(({ path }) => path), ["counter_resets[0]"]);
  const [code, { changes }] = await service.apply({ counter_resets: [reset] });
  equal(code, 200);
  deepEqual(changes, [{
    action: "update",
    kind: "counter_reset",
    key: "replaced_lower_5 2026-06-01T10:08:00.000000Z",
    fields: ["site_no", "author"],
    history: false,
  }]);
  await service.settle();
  const [row, ...more] = await service.list("&kind=reset");
  deepEqual([row.reset_id, row.author, row.applied, more], [made.reset_id, null, true, []]);
  equal((await energies(service)).get("replaced_lower_5"), 8);
  const [refused, { detail }] = await service.call("POST", path, { ...reset, at: at(8) });
  equal(refused, 409);
  match(String(detail), /a site file declares/);
  // Now it is the file's: it changes and goes with it.
  equal((await service.apply(other))[0], 200);
  equal((await service.apply({}))[0], 200);
  deepEqual(await service.list("&kind=reset"), []);
  await service.close();
});

Deno.test("a counter and a project have so many resets of requests, and no more", async () => {
  const service = await openCounters();
  const { catalog, database } = service.services;
  const { project_no } = catalog.projects[0];
  const tag_nos = catalog.tags.map(({ tag_no }) => tag_no);
  const { resets_per_counter, resets_per_project } = counter_limits;
  const first_us = Date.parse(at(0)) * 1000;
  const fill = (tags: readonly number[]) =>
    database.write(({ connection }) =>
      appendRows(
        connection,
        reset_table,
        tags.flatMap((tag_no) =>
          Array.from({ length: resets_per_counter }, (_, i) => ({
            ...{ id: `r${tag_no}_${i}`, project_no, site_no: null, tag_no, author: "test" },
            ...{ at_us: first_us + i * 1_000_000, last_value: 1, first_value: 0 },
          }))
        ),
      )
    );
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  const post = async (tag_no: number) => {
    const { sensor_tag: tag } = catalog.tag(tag_no)!;
    const asked = { tag, at: "2026-06-02T00:00:00Z", last_value: 1, first_value: 0 };
    const [status, { detail }] = await service.call("POST", path, asked);
    return `${status} ${detail ?? ""}`;
  };
  await fill(tag_nos.slice(0, 1));
  equal(await post(tag_nos[0]), "409 the counter has 1000 declared resets already");
  equal(await post(tag_nos[1]), "201 ");
  await fill(tag_nos.slice(1, resets_per_project / resets_per_counter));
  equal(await post(tag_nos[12]), "409 the project has 10000 declared resets already");
  const { sensor_tag: tag } = catalog.tag(tag_nos[20])!;
  const file = Array.from({ length: resets_per_counter + 1 }, (_, i) => (
    { tag, at: at(i), last_value: 1, first_value: 0 }
  ));
  const [status, { errors }] = await service.apply({ counter_resets: file });
  deepEqual([status, (errors as Json[]).map(({ path }) => path)], [400, ["counter_resets[1000]"]]);
  await service.close();
});
