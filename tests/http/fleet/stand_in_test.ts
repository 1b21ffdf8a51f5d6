// What stands in for a shard: the same bytes, of days that the lake names, and nothing else.
import { deepEqual, equal, match } from "node:assert/strict";
import { silent_log } from "../../../src/engine/core/log.ts";
import { adoptTold } from "../../../src/engine/fleet/told.ts";
import type { ToldToken } from "../../../src/model/fleet/shard.ts";
import { standing_paths } from "../../../src/http/fleet/standing.ts";
import { routesOf } from "../../../src/http/routes.ts";
import { openStanding } from "../../../src/fleet.ts";
import { readOutline } from "../../../src/store/site/outline.ts";
import { lakeTest, skip } from "../../help/lake.ts";
import { startPostgres } from "../../help/postgres.ts";
import { test_settings, testService } from "../../help/service.ts";
import {
  apply,
  day_ms,
  first_ms,
  projectOf,
  send,
  site,
} from "../../engine/retention/world_help.ts";

const at = (day: number, ms = 0) => new Date(first_ms + day * day_ms + ms).toISOString();

/** Each hour of three old days, in which a tag of no sensor says how it is; and one of today. */
const rows = [
  ...Array.from({ length: 3 * 24 }, (_, hour) => [
    { tag: "p", ts: at(0, hour * 3_600_000), value: hour / 7 },
    { tag: "state", ts: at(0, hour * 3_600_000), value_str: hour % 5 === 0 ? "off" : "on" },
  ]).flat(),
  { tag: "p", ts: at(55), value: 1 },
];

/** A shard whose old days lie in a lake at a PostgreSQL, and what stands in for it. */
async function openBoth(settings: { readonly data_dir: string }) {
  const owner = await testService({ at: at(56), settings });
  await apply(owner, site);
  await send(owner, rows);
  await owner.services.tiers.settle();
  const { database, access, effects } = owner.services;
  const outline = JSON.parse(JSON.stringify(await database.read(readOutline)));
  const standing = await openStanding(outline, {
    settings: {
      ...{ ...test_settings, ...settings },
      ...{ data_dir: "no-such-folder", fleet_address: "http://home" },
    },
    // The home knows nobody.
    effects: { ...effects, request: () => Promise.resolve(Response.json(null)) },
    log: silent_log,
  });
  const tell = (tokens: readonly ToldToken[]) =>
    adoptTold(1, { organizations: [], projects: [], sites: [], users: [], tokens }, standing.parts);
  await tell(access.told);
  return { owner, standing, tell };
}

type Both = Awaited<ReturnType<typeof openBoth>>;

/** The same question to the shard, and to what stands in for it. */
async function askBoth({ owner, standing }: Both, search: Readonly<Record<string, string>>) {
  const query = new URLSearchParams({ ...projectOf(owner), ...search });
  const path = `/platform/v1/signals?${query}`;
  return [
    await seenOf(await owner.fetch(path)),
    await seenOf(await standIn({ owner, standing }, path)),
  ];
}

function standIn(
  { owner, standing }: Pick<Both, "owner" | "standing">,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${owner.token}` };
  return standing.fetch(new Request(new URL(path, "http://localhost"), { headers, ...init }));
}

async function seenOf(answer: Response) {
  const headers = Object.fromEntries(answer.headers);
  delete headers["x-request-id"];
  return { status: answer.status, headers, bytes: (await answer.bytes()).toHex() };
}

async function refusalOf(both: Both, search: Readonly<Record<string, string>>): Promise<string> {
  const query = new URLSearchParams({ ...projectOf(both.owner), ...search });
  const answer = await standIn(both, `/platform/v1/signals?${query}`);
  equal(answer.status, 503);
  equal(answer.headers.get("retry-after"), "2");
  return (await answer.json()).detail;
}

const whole = { from: at(0), to: at(3), resolution: "raw" };

/** Questions over days that the lake names. */
const searches: readonly Readonly<Record<string, string>>[] = [
  ...["json", "csv", "arrow", "parquet"].map((format) => ({ ...whole, format })),
  { ...whole, from: at(0, 5_000), to: at(2, 7_200_000), tag: "p", lane: "performance" },
  { ...whole, tag: "no such tag", format: "csv" },
  { ...whole, offset: "40", limit: "50", columns: "ts,sensor_tag,received_at,unit,value" },
  { ...whole, device_id: "i" },
];

async function compare(both: Both): Promise<void> {
  for (const search of searches) {
    const [one, other] = await askBoth(both, search);
    deepEqual(other, one, JSON.stringify(search));
  }
}

async function testRefusals(both: Both): Promise<void> {
  match(await refusalOf(both, { ...whole, to: at(4) }), /does not tell of 2026-03-04 /);
  match(await refusalOf(both, { ...whole, from: at(55), to: at(56) }), /does not tell of/);
  match(await refusalOf(both, { from: at(0), to: at(3) }), /resolution=raw/);
  match(await refusalOf(both, { received_since: at(0) }), /resolution=raw/);
  match(await refusalOf(both, { ...whole, every: "1h" }), /resolution=raw/);
  const { project_id } = projectOf(both.owner);
  for (
    const [method, path] of [["GET", "/platform/v1/meta/devices"], ["POST", "/ingest/v1/signals"]]
  ) {
    const body = method === "POST" ? "{}" : undefined;
    const headers = {
      authorization: `Bearer ${both.owner.token}`,
      "content-type": "application/x-ndjson",
    };
    const answer = await standIn(both, `${path}?project_id=${project_id}`, {
      method,
      body,
      headers,
    });
    equal(answer.status, 503, path);
  }
}

/** Late samples of a day: it is told again once it lies in the lake with them. */
async function testLate(both: Both): Promise<void> {
  const { owner } = both;
  const late = [{ tag: "p", ts: at(1, 1_000), value: 7 }];
  equal((await send(owner, late)).accepted, 1);
  match(await refusalOf(both, whole), /does not tell of 2026-03-02/);
  const [one, other] = await askBoth(both, { ...whole, to: at(1) });
  deepEqual(other, one, "the days before it");
  owner.clock.advance(2 * 3_600_000);
  await owner.services.tiers.settle();
  await compare(both);
}

async function testTokens(both: Both): Promise<void> {
  const { owner, tell } = both;
  const path = `/platform/v1/signals?${new URLSearchParams({ ...projectOf(owner), ...whole })}`;
  const wrong = { headers: { authorization: `Bearer wk_${"a".repeat(43)}` } };
  equal((await standIn(both, path, wrong)).status, 401);
  equal((await standIn(both, `${path}&limit=x`)).status, 400);
  const foreign = path.replace(/project_id=[^&]*/, "project_id=x");
  equal((await standIn(both, foreign)).status, 403);
  await tell(owner.services.access.told.map((it) => ({ ...it, revoked_at: 1 })));
  equal((await standIn(both, path)).status, 401);
}

Deno.test("a node asks for what is answered, and for nothing else", async () => {
  const service = await testService();
  const answered = routesOf(service.services).filter((it) => it.spanOf !== undefined);
  deepEqual(answered.map(({ path }) => path), standing_paths);
  equal(answered.every(({ method }) => method === "GET"), true);
  await service.close();
});

lakeTest("what stands in for a shard gives the same bytes, or 503", async (extension_dir) => {
  const folder = await Deno.makeTempDir({ dir: "/tmp" });
  await using postgres = await startPostgres(`${folder}/postgres`);
  if (postgres === undefined) return skip("there is no PostgreSQL, or no root to start it");
  const both = await openBoth({
    ...{ data_dir: `${folder}/shard`, tier_after: "35d", extension_dir },
    ...{ tier: `ducklake:postgres:${postgres.place}`, lake_dir: `${folder}/lake` },
  });
  await compare(both);
  await testRefusals(both);
  await testLate(both);
  await testTokens(both);
  await both.standing.close();
  await both.owner.close();
  await Deno.remove(folder, { recursive: true });
});
