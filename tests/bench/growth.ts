// `deno run -A tests/bench/growth.ts [days …]`: the same questions on ever more history.
//
// Each is about the last day, so that it reads no more: what it costs may not grow with the rest.
// The plant has 100 inverters; every kind of row of it is there for all of the days.
import { systemEffects } from "../../src/base/effects.ts";
import { startServer } from "../help/process.ts";
import { bestMs } from "./figure.ts";
import { dateOf, Reader } from "./read.ts";
import { last_day, makeWorld, withServer, type World, worldBytes } from "./world.ts";

const sizes = Deno.args.length > 0 ? Deno.args.map(Number) : [1, 10, 60, 365];
if (!sizes.every((days) => Number.isInteger(days) && days >= 1 && days <= 365)) {
  print("give whole numbers of days from 1 to 365, such as 1 10 60");
  Deno.exit(1);
}
const runs = 15;
const body_rows = 5_000;
const day_ms = 86_400_000;

const table = new Map<string, number[]>();
for (const days of sizes) {
  const all = { days, minute_days: days, sample_days: days };
  const world = await makeWorld({ inverters: 100, snapshots: 0, ...all });
  try {
    for (const [question, ms] of await measure(world)) {
      table.set(question, [...table.get(question) ?? [], ms]);
    }
    print(`${days} days: ${Math.round(await worldBytes(world) / 1e6)} MB`);
  } finally {
    await Deno.remove(world.folder, { recursive: true });
  }
}

print(
  `\n${"ms, the best of some".padEnd(44)}${sizes.map((days) => `${days} d`.padStart(9)).join("")}`,
);
for (const [question, all] of table) {
  const ratio = (all.at(-1)! / all[0]).toFixed(2);
  const cells = all.map((ms) => ms.toPrecision(3).padStart(9)).join("");
  print(`${question.padEnd(44)}${cells}   × ${ratio}`);
}

async function measure(world: World): Promise<readonly (readonly [string, number])[]> {
  const start_ms = await bestMs(3, async () => {
    const server = await startServer(world.folder);
    const answer = await fetch(`${server.address}/readyz`);
    await answer.body?.cancel();
    // As after a crash: nothing is put in order before the end.
    await server.end("SIGKILL");
  });
  const asked = await withServer(world, async (server) => {
    const out: [string, number][] = [];
    for (const [question, ask] of Object.entries(questionsOf(new Reader(server, world)))) {
      await ask();
      out.push([question, await bestMs(runs, ask)]);
    }
    return out;
  });
  return [["start to the first answer", start_ms], ...asked];
}

function questionsOf(reader: Reader): Readonly<Record<string, () => Promise<unknown>>> {
  const day = { dt_start: dateOf(last_day), dt_end: dateOf(last_day) };
  const [from, to] = [last_day, last_day + 1].map((it) => new Date(it * day_ms).toISOString());
  const of_plant = [["project_id", "p0"]] as const;
  const raw = [...of_plant, ["lane", "raw_signal"], ["resolution", "raw"]] as const;
  return {
    "the day by inverter": () => reader.performance({ ...day, time_interval: "OneDay" }),
    "its quarter-hours by inverter": () =>
      reader.performance({ ...day, time_interval: "FifteenMinutes" }),
    "its minutes by inverter": () => reader.performance({ ...day, time_interval: "OneMinute" }),
    "its availability": () =>
      reader.get("/platform/v1/availability", [
        ["project_ids", "p0"],
        ...Object.entries({ ...day, time_interval: "Full", group_by: "project_id" }),
      ]),
    "one raw tag's day": () =>
      reader.get("/platform/v1/signals", [
        ...raw,
        ...[["tag", "D7.active_power"], ["from", from], ["to", to]] as const,
      ]),
    "10 000 samples by watermark": () =>
      reader.get("/platform/v1/signals", [
        ...raw,
        ...[["received_since", from], ["limit", "10000"]] as const,
      ]),
    "the newest values": () => reader.get("/platform/v1/signals/latest", of_plant),
    "a body of 5 000 samples": () => send(reader),
  };
}

async function send({ server, world }: Reader): Promise<void> {
  const ts = new Date().toISOString();
  const rows = Array.from({ length: body_rows }, (_, i) => `all.${i},${ts},${i / 7}`);
  const answer = await fetch(`${server.address}/ingest/v1/signals?project_id=p0`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.token}`, "content-type": "text/csv" },
    body: ["tag,ts,value", ...rows].join("\n"),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.body?.cancel();
}

function print(text: string): void {
  systemEffects().out(`${text}\n`);
}
