// `deno run -A tests/edge/bad_line.ts [requests=200] [seed=1] [kernel]`: forwarding over a line of
// 1 Mbit/s that loses a fifth of its packets. With `kernel` these are lost for real, in a network
// of its own. Else the line does what TCP makes of a loss, each packet waits for those before it,
// and breaks now and then.
import { deepEqual } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { declareProject, rows_per_request, send } from "../help/client.ts";
import { startServer } from "../help/process.ts";
import { until } from "../faults/until.ts";
import { countLost, enterOwnNetwork, losePackets } from "./packet_loss.ts";

const is_kernel = Deno.args.at(-1) === "kernel";
if (is_kernel) await enterOwnNetwork();
const [requests = 200, seed = 1] = Deno.args.filter((it) => it !== "kernel").map(Number);
const packet_bytes = 1_400;
const bytes_per_ms = 125;
const loss = 0.2;
/** After a loss TCP waits so long before it sends again, twice as long each further time. */
const resend_ms = 200;
const latency_ms = 40;
/** A connection breaks after so many packets, about. */
const packets_to_break = 400;

const dice = new Dice(seed);
let drawn = 0;
let [lost, packets, broken] = [0, 0, 0];

/** A line to a port of this machine, and what was lost on it. */
type Line = {
  readonly port: number;
  readonly close: () => void;
  readonly said: () => string | Promise<string>;
};

async function kernelLine(port: number): Promise<Line> {
  await losePackets(port);
  const said = async () => {
    const { came, lost, beyond } = await countLost();
    return `${came} packets, ${lost} lost, ${beyond} beyond what the line takes`;
  };
  return { port, close: () => {}, said };
}

function badLine(port: number): Line {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async () => {
    for await (const near of listener) {
      const far = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
      if (far === undefined) near.close();
      else for (const [from, to] of [[near, far], [far, near]]) pump(from, to);
    }
  };
  serve().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    close: () => listener.close(),
    said: () => `${packets} packets, ${lost} losses, ${broken} breaks`,
  };
}

/** Passes on what comes, packet by packet. */
async function pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const room = new Uint8Array(packet_bytes);
  try {
    for (;;) {
      const count = await from.read(room);
      if (count === null) break;
      packets++;
      let wait_ms = latency_ms + count / bytes_per_ms;
      for (let again_ms = resend_ms; dice.unit(1, drawn++) < loss; again_ms *= 2) {
        wait_ms += again_ms;
        lost++;
      }
      await pause(wait_ms);
      if (dice.unit(2, drawn++) < 1 / packets_to_break) {
        broken++;
        break;
      }
      for (let at = 0; at < count;) at += await to.write(room.subarray(at, count));
    }
  } catch {
    // The other side is gone.
  }
  for (const side of [from, to]) closeQuietly(side);
}

function closeQuietly(side: Deno.Conn): void {
  try {
    side.close();
  } catch {
    // It is closed already.
  }
}

const folder = await Deno.makeTempDir({ prefix: "wattkeeper-line-" });
const centre = await startServer(`${folder}/centre`);
const there = await declareProject(centre);
const centre_port = Number(new URL(centre.address).port);
const line = is_kernel ? await kernelLine(centre_port) : badLine(centre_port);
const gateway = await startServer(`${folder}/gateway`, {
  args: ["--upstream-url", `http://127.0.0.1:${line.port}`],
  env: { WATTKEEPER_UPSTREAM_TOKEN: there.token },
});
const here = await declareProject(gateway);
const begin_ms = performance.now();
try {
  let acknowledged = 0;
  for (let n = 0; n < requests; n++) {
    if (await send(gateway, here, n)) acknowledged++;
    await pause(100);
  }
  deepEqual(acknowledged, requests, "the gateway takes all, whatever the line does");
  const sent_ms = performance.now() - begin_ms;
  const wanted = `${requests * rows_per_request} ${requests * rows_per_request}`;
  const left = await until(async () => {
    const found = await counts();
    return found === wanted ? [] : [found];
  }, 600_000);
  deepEqual(left, [], `rows and different rows at the centre, not ${wanted}`);
  const took_s = ((performance.now() - begin_ms - sent_ms) / 1000).toFixed(1);
  systemEffects().out(
    `${requests * rows_per_request} rows once at the centre ${took_s} s after the last was sent; ` +
      `${await line.said()}\n`,
  );
} finally {
  await gateway.end("SIGKILL");
  await centre.end("SIGKILL");
  line.close();
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(0);

/** How many rows the centre has, and how many different ones. */
async function counts(): Promise<string> {
  const answer = await fetch(`${centre.address}/admin/v1/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${there.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      sql: "SELECT count(*) AS n, count(DISTINCT (sensor_tag, ts)) AS m FROM sample " +
        "JOIN tag USING (tag_no) WHERE sensor_tag LIKE 't_'",
      json: true,
    }),
  });
  const text = (await answer.text()).trim();
  if (!answer.ok) throw new Error(text);
  const { n, m } = JSON.parse(text);
  return `${n} ${m}`;
}

function pause(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms));
}
