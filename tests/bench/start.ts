// Workload W11: from the start of the process to the first answer, and memory when idle.
import { startServer } from "../help/process.ts";
import { bestMs, type Figure } from "./figure.ts";
import { statusMb } from "./read.ts";
import { type World, worldBytes } from "./world.ts";

/** W11 on the plant's file; the limit is a program of Deno's that does nothing but end. */
export async function measureStart(world: World): Promise<readonly Figure[]> {
  const size = `${((await worldBytes(world)) / 1024 ** 3).toFixed(1)} GiB file`;
  const empty = await bestMs(
    3,
    () => new Deno.Command(Deno.execPath(), { args: ["eval", "0"] }).output(),
  );
  let idle_mb = 0;
  let value = Infinity;
  for (let run = 0; run < 3; run++) {
    const from = performance.now();
    const server = await startServer(world.folder);
    const answer = await fetch(`${server.address}/readyz`);
    value = Math.min(value, performance.now() - from);
    if (!answer.ok) throw new Error(await answer.text());
    idle_mb = await statusMb(server.pid, "VmRSS");
    await server.end("SIGTERM");
  }
  return [{
    workload: "W11",
    what: `start on a ${size}`,
    ...{ value, unit: "ms", target: "≤ 400 ms to the first answer", met: value <= 400 },
    limit: { what: "deno that does nothing", value: empty },
  }, {
    workload: "W11",
    what: "memory when idle",
    ...{ value: idle_mb, unit: "MB", target: "≤ 150 MB", met: idle_mb <= 150 },
  }];
}
