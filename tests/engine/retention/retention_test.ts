// Retention beside a twin that keeps everything: what is kept says the same, what is gone says so.
import { deepEqual, equal, ok } from "node:assert/strict";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import {
  apply,
  ask,
  day_ms,
  days,
  end_ms,
  filled,
  first_ms,
  projectOf,
  send,
  site,
} from "./world_help.ts";

/** Days count to that of the newest sample. */
const today_ms = end_ms - day_ms;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

const settings = { keep_samples: "35d", keep_minutes: "40d" };
const gone_ms = today_ms - 45 * day_ms;
const minutes_gone_ms = gone_ms - 5 * day_ms;
const open_ms = today_ms - 35 * day_ms;

type World = { readonly keeping: TestService; readonly twin: TestService };

const steps: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async "a dry run says what would go"({ keeping }) {
    const { due: [samples, minutes], ...more } = await dryRun(keeping);
    deepEqual({ ...samples, bytes: 0 }, {
      ...{ kept: "samples", tags: 3, from: dayOf(first_ms), to: dayOf(gone_ms) },
      ...{ rows: 10 * 24 * 3, bytes: 0 },
    });
    equal(minutes.to, dayOf(minutes_gone_ms));
    deepEqual(more, { growth: { bytes_per_day: null, full_on: null } });
    equal(await count(keeping, "sample"), days * 24 * 3);
  },
  async "what is due goes, and the rest says the same"({ keeping, twin }) {
    await keeping.services.retention.settle();
    await keeping.services.roll.settle();
    equal(await count(keeping, "sample"), (days - 10) * 24 * 3);
    equal(await count(keeping, `reading WHERE minute < ${minutes_gone_ms / 60_000}`), 0);
    deepEqual((await dryRun(keeping)).due, []);
    await compare(keeping, twin);
  },
  async "late samples change what is open, and nothing that is closed"({ keeping, twin }) {
    const at = (ms: number) => new Date(open_ms + ms).toISOString();
    const late = [
      { tag: "p", ts: at(60_000), value: 1 },
      { tag: "e", ts: at(60_000), value: 2 },
      { tag: "poa", ts: at(15 * 60_000), value: 500 },
    ];
    for (const service of [keeping, twin]) {
      equal((await send(service, late)).accepted, 3);
      await service.services.roll.settle();
    }
    await compare(keeping, twin);
    const { accepted, rejected } = await send(keeping, [{ tag: "p", ts: at(-1000), value: 1 }]);
    equal(accepted, 0);
    ok(rejected[0].reason.includes("no longer kept"), rejected[0].reason);
  },
  async "what is gone is answered with 410 and from when there is data"({ keeping }) {
    const there = { from: `${dayOf(gone_ms)}T00:00:00.000000Z`, to: "2026-03-20T00:00:00Z" };
    const early = { from: new Date(gone_ms - 1).toISOString(), to: there.to };
    deepEqual(await signals(keeping, early), { status: 410, from: there.from });
    deepEqual(await signals(keeping, there), { status: 200, from: undefined });
    const statusOf = async (search: Record<string, string>) =>
      (await signals(keeping, search)).status;
    equal(await statusOf({ ...early, resolution: "1m" }), 200);
    equal(await statusOf({ received_since: "2026-03-01T00:00:00Z" }), 410);
    equal(await statusOf({ at: "2026-03-08T00:00:00Z" }), 410);
    equal((await ask(keeping, "OneMinute", { dt_end: "2026-03-07" })).status, 410);
    equal((await ask(keeping, "OneDay", { include: "stats" })).status, 410);
  },
  async "a new mapping counts from where nothing is closed"({ keeping, twin }) {
    const closed = { dt_end: dayOf(open_ms - 2 * day_ms) };
    const before = await ask(keeping, "FifteenMinutes", closed);
    await apply(keeping, { ...site, sensors: site.sensors.map((it) => ({ ...it, scale: 2 })) });
    await keeping.services.roll.settle();
    equal((await ask(keeping, "FifteenMinutes", closed)).text, before.text);
    ok((await ask(keeping, "OneDay")).text !== (await ask(twin, "OneDay")).text);
  },
};

Deno.test("what is kept says the same for ever, and what is gone says so", async (t) => {
  const world = { keeping: await filled(settings), twin: await filled({}) };
  for (const [name, step] of Object.entries(steps)) await t.step(name, () => step(world));
  await world.keeping.close();
  await world.twin.close();
});

/** Both give the same at every resolution that is kept. */
async function compare(keeping: TestService, twin: TestService): Promise<void> {
  const same = async (interval: string, search = {}) => {
    const [kept, all] = [await ask(keeping, interval, search), await ask(twin, interval, search)];
    equal(kept.status, 200, kept.text);
    equal(kept.text, all.text);
  };
  for (const search of [{}, { component_measure: "energy", include: "matched" }]) {
    for (const interval of ["OneHour", "OneDay", "OneMonth"]) await same(interval, search);
  }
  await same("OneMinute", { dt_start: "2026-03-07", dt_end: "2026-03-08" });
}

async function dryRun(service: TestService) {
  return await (await service.fetch("/admin/v1/retention")).json();
}

async function signals(service: TestService, search: Record<string, string>) {
  const query = new URLSearchParams({ ...projectOf(service), format: "json", ...search });
  const answer = await service.fetch(`/platform/v1/signals?${query}`);
  const { status } = answer;
  return { status, from: status === 410 ? (await answer.json()).available_from : undefined };
}

async function count(service: TestService, table: string): Promise<number> {
  const [{ n }] = await service.services.database.read((connection) =>
    queryRows<{ n: number }>(connection, `SELECT count(*)::INTEGER AS n FROM ${table}`)
  );
  return n;
}
