// Workload W11: from the start of the process to the first answer, and memory when idle.
import { type Server, startServer } from "../help/process.ts";
import { bestMs, type Figure } from "./figure.ts";
import { body_minutes, makeBody } from "./bodies.ts";
import { Reader, statusMb } from "./read.ts";
import { type World, worldBytes } from "./world.ts";

const idle_target_mb = 130;
/** How long the service is left alone before its memory counts as that of an idle one. */
const rest_ms = 10_000;

/** W11 on the plant's file; the limit is a program of Deno's that does nothing but end. */
export async function measureStart(world: World): Promise<readonly Figure[]> {
  const size = `${((await worldBytes(world)) / 1024 ** 3).toFixed(1)} GiB file`;
  const empty = await bestMs(
    3,
    () => new Deno.Command(Deno.execPath(), { args: ["eval", "0"] }).output(),
  );
  let value = Infinity;
  for (let run = 0; run < 3; run++) {
    const from = performance.now();
    const server = await startServer(world.folder);
    const answer = await fetch(`${server.address}/readyz`);
    value = Math.min(value, performance.now() - from);
    if (!answer.ok) throw new Error(await answer.text());
    await server.end("SIGTERM");
  }
  return [{
    workload: "W11",
    what: `start on a ${size}`,
    ...{ value, unit: "ms", target: "≤ 300 ms to the first answer", met: value <= 300 },
    limit: { what: "deno that does nothing", value: empty },
  }, ...await measureRest(world)];
}

/** Memory after the start, at the end of a load, and once that is over. */
async function measureRest(world: World): Promise<readonly Figure[]> {
  const server = await startServer(world.folder);
  const figures: Figure[] = [];
  const note = async (what: string, target_mb: number) => {
    const value = await statusMb(server.pid, "VmRSS");
    const target = target_mb === Infinity ? "none" : `≤ ${target_mb} MB`;
    // Pages of the program's files, which the system drops when it needs the room.
    const limit = { what: "files of it", value: await statusMb(server.pid, "RssFile") };
    const met = value <= target_mb;
    figures.push({ workload: "W11", what, value, unit: "MB", target, met, limit });
  };
  await pause();
  await note("memory when idle", idle_target_mb);
  await load(server, world);
  await note("memory at the end of a load", Infinity);
  await pause();
  await note("memory 10 s after the load", idle_target_mb);
  await server.end("SIGTERM");
  return figures;
}

/** Samples of 2 000 tags, and a day of minutes of 500 inverters. */
async function load(server: Server, world: World): Promise<void> {
  const from_us = Date.now() * 1000 - 86_400_000_000;
  for (let body = 0; body < 20; body++) {
    const answer = await fetch(`${server.address}/ingest/v1/signals?project_id=p0`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${world.token}`,
        "content-type": "application/x-ndjson",
      },
      body: makeBody("ndjson", from_us + body * body_minutes * 60_000_000),
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.body?.cancel();
  }
  const day = { dt_start: "2025-12-31", dt_end: "2025-12-31", use_solar_bounds: "false" };
  await new Reader(server, world).performance({ ...day, time_interval: "OneMinute" });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, rest_ms));
}
