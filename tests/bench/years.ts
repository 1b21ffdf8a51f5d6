// `deno run -A tests/bench/years.ts [years] [hours]`: the demo's plant for years under retention,
// and tiers beside a twin that keeps everything: room by year, and whether both answer the same.
import { assemble } from "../../src/app.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import { demo_places } from "../../src/engine/demo/place.ts";
import { DemoPlant, size } from "../../src/engine/demo/plant.ts";
import { demo_points } from "../../src/engine/demo/point.ts";
import { demoSite } from "../../src/engine/demo/site.ts";
import { readTiers } from "../../src/engine/retention/tiers.ts";
import { applySite } from "../../src/engine/site/site.ts";
import { type Settings, settings_table } from "../../src/model/setting.ts";
import { Database } from "../../src/store/database.ts";
import { readFileUse } from "../../src/store/retention/disk.ts";
import { fakeEffects } from "../help/effects.ts";

const [years = 5, hours = 1, inverters = 4] = Deno.args.map(Number);
const day_s = 86_400;
const from_s = Date.UTC(2026, 0, 1) / 1000;
const step_days = 30;
const memory_mb = 1024;
const story = { seed: 7, from_us: from_s * 1e6, place: demo_places[0].key };

/** A few inverters, and all that is beside them. */
const points = demo_points.filter((point) =>
  point.encoding !== "string" && (point.inverter ?? 0) < inverters
);

/** The demo's site with them alone. */
function siteFile(): object {
  type Entry = { readonly key?: string; readonly device?: string; readonly name?: string };
  const file = demoSite(demo_places[0]) as Readonly<Record<string, readonly Entry[]>>;
  const left_out = demo_points.filter((point) => (point.inverter ?? 0) >= inverters);
  const names = new Set(left_out.flatMap(({ device, tag }) => [device, tag]));
  const has = ({ key = "", device = "", name = "" }: Entry) =>
    ![key, device, name].some((it) => names.has(it));
  const [devices, tags, sensors] = ["devices", "tags", "sensors"].map((of) => file[of].filter(has));
  return { ...file, devices, tags, sensors, rules: [], counter_resets: [] };
}

/** One of the two services, which are closed and opened again each year. */
class Side {
  readonly #path: string;
  readonly #settings: Partial<Settings>;
  readonly #world = fakeEffects(new Date(from_s * 1000).toISOString());
  #opened!: Awaited<ReturnType<typeof assemble>>;
  #database!: Database;
  #token = "";

  constructor(path: string, settings: Partial<Settings>) {
    this.#path = path;
    this.#settings = settings;
  }

  /** Gives how long it took, in milliseconds. */
  async open(): Promise<number> {
    const begin_ms = performance.now();
    const { effects } = this.#world;
    // One thread adds up in one order, to the last digit.
    const options = { path: this.#path, effects, memory_mb, threads: 1 };
    this.#database = await Database.open(options);
    this.#database.vault.use(new Uint8Array(32));
    const settings = { ...defaults, memory_mb, ...this.#settings };
    this.#opened = await assemble(this.#database, { effects, settings, log: silent_log });
    return performance.now() - begin_ms;
  }

  async begin(): Promise<void> {
    await this.open();
    const { services } = this.#opened;
    await applySite(services, siteFile(), { dry_run: false });
    const all = { name: "bench", organization_id: null, project_ids: null, expires_at: null };
    this.#token = (await services.access.create({ ...all, scopes: ["admin"] })).token;
  }

  /** Stores rows, and does what follows from them and from the time. */
  async live(rows: string, until_s: number): Promise<void> {
    const { services } = this.#opened;
    this.#world.clock.advance(until_s * 1000 - this.#world.clock.now_us / 1000);
    const [{ id }] = services.catalog.projects;
    const headers = { "content-type": "application/x-ndjson" };
    const init = { method: "POST", headers, body: rows };
    const { rejected_count } = JSON.parse(
      await this.ask(`/ingest/v1/signals?project_id=${id}`, init),
    );
    if (rejected_count > 0) throw new Error(`${rejected_count} rows were rejected`);
    await services.roll.settle();
    await services.retention.settle();
    await services.tiers.settle();
  }

  async ask(path: string, init: RequestInit = {}): Promise<string> {
    const request = new Request(`http://localhost${path}`, init);
    request.headers.set("authorization", `Bearer ${this.#token}`);
    const answer = await this.#opened.app.fetch(request);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    return text;
  }

  /** Every kept resolution of the whole time, as CSV. */
  async *answers(until_s: number): AsyncGenerator<string> {
    const [{ id }] = this.#opened.services.catalog.projects;
    const range = { dt_start: "2026-01-01", dt_end: dateOf(until_s - 2 * day_s), format: "csv" };
    for (const time_interval of ["OneHour", "OneDay", "OneMonth", "OneYear"]) {
      for (const component_measure of ["active_power", "energy"]) {
        const query = new URLSearchParams({
          ...{ ...range, project_ids: id, time_interval, component_measure },
          ...{ component: "inverter", group_by: "hierarchy_id", include: "matched" },
        });
        yield await this.ask(`/platform/v1/performance-v2?${query}`);
      }
    }
    const [from, to] = [until_s - 380 * day_s, until_s - 350 * day_s].map(instantOf);
    const raw = new URLSearchParams({
      ...{ project_id: id, from, to, resolution: "raw", format: "csv" },
    });
    yield await this.ask(`/platform/v1/signals?${raw}`);
  }

  /** What the database uses of its file, and its old days beside it, in MB; it is closed then. */
  async close(): Promise<readonly [used_mb: number, tiers_mb: number]> {
    await this.#database.checkpoint();
    const { used_bytes } = await this.#database.aside(readFileUse);
    const { bytes } = await readTiers(this.#database);
    const { roll, availability, minute_evaluator } = this.#opened.services;
    for (const part of [roll, availability, minute_evaluator]) await part.close();
    await this.#database.close();
    return [used_bytes / 1e6, bytes / 1e6];
  }
}

const defaults = Object.fromEntries(
  Object.entries(settings_table)
    .map(([name, setting]) => [name, "default" in setting ? setting.default : 1]),
) as Settings;

function instantOf(at_s: number): string {
  return new Date(at_s * 1000).toISOString();
}

function dateOf(at_s: number): string {
  return instantOf(at_s).slice(0, 10);
}

/** The plant's samples of some days, as NDJSON. */
function samplesOf(plant: DemoPlant, days: number): string {
  const lines: string[] = [];
  for (let step = 0; step < days * 24 / hours; step++) {
    const ts = new Date(plant.at_s * 1000).toISOString();
    for (const { tag, read } of points) {
      lines.push(`{"tag":"${tag}","ts":"${ts}","value":${read(plant)}}`);
    }
    plant.advance(hours * 3600);
  }
  return lines.join("\n");
}

/** Whether all cells are the same, but for the order in which a sum was added up. */
function isSame(one: string, other: string): boolean {
  const [cells, others] = [one, other].map((text) => text.split(/[,\r\n]+/));
  return cells.length === others.length && cells.every((cell, i) => {
    const [a, b] = [Number(cell), Number(others[i])];
    return cell === others[i] || Math.abs(a - b) <= 1e-12 * Math.min(Math.abs(a), Math.abs(b));
  });
}

function print(line: string): void {
  systemEffects().out(`${line}\n`);
}

const folder = await Deno.makeTempDir();
const keeping = new Side(`${folder}/keeping.duckdb`, {
  ...{ keep_samples: "400d", keep_minutes: "90d", tier_after: "60d" },
});
const twin = new Side(`${folder}/twin.duckdb`, {});
await keeping.begin();
await twin.begin();
const plant = new DemoPlant(story);
print(`${points.length} tags of ${inverters}/${size.inverters} inverters, each ${hours} h`);
for (let year = 1; year <= years; year++) {
  const until_s = from_s + Math.round(year * 365.25 / step_days) * step_days * day_s;
  while (plant.at_s < until_s) {
    const rows = samplesOf(plant, step_days);
    for (const side of [keeping, twin]) await side.live(rows, plant.at_s);
  }
  let bytes = 0;
  const differing = { byte: 0, figure: 0 };
  const others = twin.answers(until_s);
  for await (const text of keeping.answers(until_s)) {
    bytes += text.length;
    const other = (await others.next()).value!;
    if (text !== other) differing.byte++;
    if (!isSame(text, other)) differing.figure++;
  }
  const [[kept_mb, tiers_mb], [all_mb]] = [await keeping.close(), await twin.close()];
  const [kept_ms, all_ms] = [await keeping.open(), await twin.open()];
  const { rss } = Deno.memoryUsage();
  print(
    `year ${year}: ${kept_mb.toFixed(1)} MB and ${tiers_mb.toFixed(1)} MB in files beside ` +
      `${all_mb.toFixed(1)} MB; of 9 answers (${
        (bytes / 1e6).toFixed(1)
      } MB) ${differing.figure} differ, and ` +
      `${differing.byte - differing.figure} in the last digit of a sum; opened in ` +
      `${Math.round(kept_ms)} ms beside ${Math.round(all_ms)} ms; ${Math.round(rss / 1e6)} MB of ` +
      "memory for both",
  );
}
await keeping.close();
await twin.close();
await Deno.remove(folder, { recursive: true });
