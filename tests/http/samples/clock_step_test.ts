// A wall clock that was a day ahead and is set back: nothing is hidden, stopped or told too often.
import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { assemble } from "../../../src/app.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { printed, type SignalRow } from "../../help/signal.ts";
import { openActions } from "../alarms/action_help.ts";
import { draftOf, eventOf } from "../../help/alarm.ts";
import { testService } from "../../help/service.ts";

const day_ms = 86_400_000;
const minute_us = 60_000_000;

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
};

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** What tests do with a service: apply its site, send rows, read on from a watermark. */
function userOf(fetch: Fetch, project_id = "p") {
  const asked = async (path: string, init?: RequestInit) => {
    const answer = await fetch(path, init);
    const text = await answer.text();
    equal(answer.status, 200, text);
    return JSON.parse(text);
  };
  return {
    asked,
    send: (...rows: readonly { readonly ts_us: number; readonly value: number }[]) => {
      const body = rows.map(({ ts_us, value }) => ({ tag: "a", ts: printed(ts_us), value }));
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return asked(`/ingest/v1/signals?project_id=${project_id}`, init);
    },
    page: (resume: string, limit = 1_000): Promise<SignalRow[]> =>
      asked(
        `/platform/v1/signals?project_id=${project_id}&format=json&resolution=raw` +
          `&limit=${limit}&${resume}`,
      ),
  };
}

async function openSite() {
  const service = await testService();
  const { services, clock } = service;
  const headers = { "content-type": "application/json" };
  const init = { method: "PUT", headers, body: JSON.stringify(site) };
  equal((await service.fetch("/admin/v1/sites/s", init)).status, 200);
  const user = userOf(service.fetch, services.catalog.projects[0].id);
  return { ...service, ...user, since: `received_since=${printed(clock.now_us)}` };
}

function resumeOf(row: SignalRow): string {
  return `received_since=${row.received_at}&after_ts=${row.ts}&after_tag=${row.sensor_tag}`;
}

const valuesOf = (rows: readonly SignalRow[]) => rows.map(({ value }) => value);

Deno.test("after a clock that was a day ahead new rows show within ten seconds", async () => {
  const { send, page, clock, since, close } = await openSite();
  clock.step(day_ms);
  await send({ ts_us: clock.now_us, value: 1 });
  clock.step(-day_ms);
  await send({ ts_us: clock.now_us, value: 2 });
  deepEqual(await page(since), []);
  clock.advance(10_000);
  deepEqual(valuesOf(await page(since)), [1, 2]);
  await send({ ts_us: clock.now_us, value: 3 });
  clock.advance(10_000);
  deepEqual(valuesOf(await page(since)), [1, 2, 3]);
  await close();
});

Deno.test("so they do where the service was started again in between", async () => {
  const path = `${await Deno.makeTempDir()}/w.duckdb`;
  const { effects, clock } = fakeEffects();
  const settings = (await testService()).services.settings;
  const open = async () => {
    const database = await Database.open({ path, memory_mb: 256, threads: 1, effects });
    database.vault.use(new Uint8Array(32));
    const { services, app } = await assemble(database, { effects, settings, log: silent_log });
    const token = services.access.first_token;
    return { database, services, app, token };
  };
  const first = await open();
  const authorization = `Bearer ${first.token}`;
  const fetchOf = ({ app }: typeof first): Fetch => (at, init) => {
    const request = new Request(new URL(at, "http://localhost"), init);
    request.headers.set("authorization", authorization);
    return app.fetch(request);
  };
  const headers = { "content-type": "application/json" };
  const init = { method: "PUT", headers, body: JSON.stringify(site) };
  equal((await fetchOf(first)("/admin/v1/sites/s", init)).status, 200);
  const { id } = first.services.catalog.projects[0];
  const since = `received_since=${printed(clock.now_us)}`;
  clock.step(day_ms);
  await userOf(fetchOf(first), id).send({ ts_us: clock.now_us, value: 1 });
  await first.database.abandon();
  clock.step(-day_ms);
  const second = await open();
  const user = userOf(fetchOf(second), id);
  await user.send({ ts_us: clock.now_us, value: 2 });
  clock.advance(10_000);
  deepEqual(valuesOf(await user.page(since)), [1, 2]);
  await second.database.abandon();
});

Deno.test("a reader that resumes misses nothing and repeats nothing over such steps", async () => {
  const { send, page, clock, since, close } = await openSite();
  const seen: SignalRow[] = [];
  let [sent, resume] = [0, since];
  const read = async (limit: number) => {
    const rows = await page(resume, limit);
    seen.push(...rows);
    if (rows.length > 0) resume = resumeOf(rows.at(-1)!);
    return rows.length;
  };
  const turn = fc.record({
    step_s: fc.constantFrom(0, 0, 0, 86_400, -86_400, 3_600, -3_600, 1, -1),
    pass_ms: fc.integer({ min: 0, max: 8_000 }),
    count: fc.integer({ min: 0, max: 4 }),
    limit: fc.integer({ min: 1, max: 5 }),
  });
  for (const { step_s, pass_ms, count, limit } of fc.sample(turn, 150)) {
    clock.step(step_s * 1_000);
    clock.advance(pass_ms);
    // Times go the other way than storing.
    const rows = Array.from({ length: count }, (_, i) => ({
      ts_us: clock.now_us - sent - i,
      value: sent + i + 1,
    }));
    if (count > 0) await send(...rows);
    sent += count;
    await read(limit);
  }
  clock.step(-86_400_000);
  await send({ ts_us: clock.now_us, value: ++sent });
  clock.advance(10_000);
  while (await read(50) > 0);
  const values = valuesOf(seen).toSorted((a, b) => Number(a) - Number(b));
  deepEqual(values, Array.from({ length: sent }, (_, i) => i + 1));
  await close();
});

Deno.test("what is in the future is so by the wall clock, wherever stamps are", async () => {
  const { send, clock, close } = await openSite();
  clock.step(day_ms);
  await send({ ts_us: clock.now_us, value: 1 });
  clock.step(-day_ms);
  const answer = await send(
    { ts_us: clock.now_us - 60 * minute_us, value: 2 },
    { ts_us: clock.now_us + 10 * minute_us, value: 3 },
    { ts_us: clock.now_us + 11 * minute_us, value: 4 },
  );
  deepEqual([answer.accepted, answer.rejected.length], [2, 1]);
  match(answer.rejected[0].reason, /more than 10 minutes in the future/);
  await close();
});

Deno.test("an alarm is shelved by the wall clock, and its source heard after it", async () => {
  const { actOn, services, clock, tokens: { anna: as }, close } = await openActions();
  const raise = (occurrence_id: string) =>
    services.alarms.write((changes) =>
      Promise.resolve(changes.raise(draftOf({ occurrence_id }), [eventOf("raised")]))
    );
  clock.step(day_ms);
  await raise("x");
  clock.step(-day_ms);
  await raise("y");
  const until = printed(clock.now_us + 60 * minute_us);
  const { status, data } = await actOn("y", "shelve", { body: { until, reason: "Later" }, as });
  equal(status, 200, JSON.stringify(data));
  equal(data.updated_at, printed(clock.now_us));
  await close();
});

Deno.test("metrics tell how far stamps are ahead", async () => {
  const { send, clock, fetch, close } = await openSite();
  const ahead = async () =>
    Math.round(
      Number(/^\w*stamps_ahead_seconds (\S+)$/m.exec(await (await fetch("/metrics")).text())?.[1]),
    );
  equal(await ahead(), 0);
  clock.step(day_ms);
  await send({ ts_us: clock.now_us, value: 1 });
  clock.step(-day_ms);
  // Metrics are up to a second old; stamps run on at nine tenths of time.
  clock.advance(1000);
  equal(await ahead(), 86_400);
  await close();
});
