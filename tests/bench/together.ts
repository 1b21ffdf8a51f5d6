// Workload W12: everything at once, each kind of request beside itself alone.
import type { Server } from "../help/process.ts";
import type { Figure } from "./figure.ts";
import { type ClientOrder, work_names, type WorkName } from "./together_client.ts";
import type { World } from "./world.ts";

const alone_s = 10;

/** W12 against a running server: each kind of request alone, then all of them for some seconds. */
export async function* measureTogether(
  { address }: Server,
  { token }: World,
  seconds: number,
): AsyncGenerator<Figure> {
  const ask = (name: WorkName, seconds: number) => runClient({ name, address, token, seconds });
  const alone: Partial<Record<WorkName, readonly number[]>> = {};
  for (const name of work_names) alone[name] = await ask(name, alone_s);
  const together = await Promise.all(
    work_names.map(async (name) => [name, await ask(name, seconds)] as const),
  );
  for (const [name, waits] of together) {
    const [value, limit] = [percentile(waits, 0.99), percentile(alone[name]!, 0.99)];
    yield {
      workload: "W12",
      what: `${name}, 99 % of ${waits.length}, beside all else`,
      ...{ value, unit: "ms", target: "≤ 3× alone", met: value <= 3 * limit },
      limit: { what: "alone", value: limit },
    };
    if (name !== "20 000 values/s") continue;
    const slowest = percentile(waits, 1);
    yield {
      workload: "W12",
      what: "slowest acknowledgement beside all else",
      ...{ value: slowest, unit: "ms", target: "≤ 300 ms", met: slowest <= 300 },
      limit: { what: "alone", value: percentile(alone[name]!, 1) },
    };
  }
}

/** How long each request of a client waited. */
async function runClient(order: ClientOrder): Promise<readonly number[]> {
  const address = new URL("./together_client.ts", import.meta.url);
  const worker = new Worker(address, { type: "module", name: "together" });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
      worker.postMessage(order);
    });
  } finally {
    worker.terminate();
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))];
}
