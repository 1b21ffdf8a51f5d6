// `deno run -A tests/faults/forward.ts [kills] [seed]`: a gateway and its centre, killed at random.
import { deepEqual, ok } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { type Client, declareProject, rows_per_request, send } from "../help/client.ts";
import { selectRows, type Side, sideOf } from "./side.ts";
import { until } from "./until.ts";

/** How often each side is killed, which moments are drawn, and who is told of each. */
export type KillRounds = {
  readonly kills: number;
  readonly seed: number;
  readonly tell?: (text: string) => void;
};

/** Requests that are acknowledged between two kills, at most. */
const round_requests = 12;

/** What came of it: requests acknowledged by the gateway, and rows at both sides. */
export type KillReport = { readonly acknowledged: number; readonly rows: number };

/**
 * Sends to a gateway while it and its centre are killed, each so many times; asserts that the
 * centre has every acknowledged row once, and no other.
 */
export async function killForwarding(
  { kills, seed, tell = () => {} }: KillRounds,
): Promise<KillReport> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-forward-" });
  const centre = await sideOf(`${folder}/centre`);
  const there = await declareProject(centre.server);
  const args = ["--upstream-url", centre.server.address];
  const env = { WATTKEEPER_UPSTREAM_TOKEN: there.token };
  const gateway = await sideOf(`${folder}/gateway`, { args, env });
  const here = await declareProject(gateway.server);
  const dice = new Dice(seed);
  const acknowledged = new Set<number>();
  let next = 0;
  try {
    for (let round = 0; round < 2 * kills; round++) {
      const victim = round % 2 === 0 ? gateway : centre;
      const requests = 1 + dice.pick(round_requests, { channel: 1, step: round });
      const wait_ms = 400 * dice.unit(2, round);
      const killing = new Promise((resolve) => setTimeout(resolve, wait_ms))
        .then(() => victim.server.end("SIGKILL"));
      for (let i = 0; i < requests; i++, next++) {
        if (await send(gateway.server, here, next)) acknowledged.add(next);
      }
      await killing;
      victim.server = await victim.start();
      const name = victim === gateway ? "gateway" : "centre";
      tell(`${round + 1}: ${name} killed after ${Math.round(wait_ms)} ms, ${next} requests`);
    }
    const left = await until(() => difference(gateway, centre, { here, there }), 120_000);
    deepEqual(left, [], "the centre has what the gateway has");
    const rows = await rowsOf(centre, there);
    const values = new Map<number, number>();
    for (const row of rows) {
      const value = Number(row.split(" ")[2]);
      values.set(value, (values.get(value) ?? 0) + 1);
    }
    for (const n of acknowledged) {
      deepEqual(values.get(n), rows_per_request, `request ${n} was acknowledged`);
    }
    deepEqual(new Set(rows).size, rows.length, "no row is there twice");
    return { acknowledged: acknowledged.size, rows: rows.length };
  } finally {
    await gateway.server.end("SIGKILL");
    await centre.server.end("SIGKILL");
    await Deno.remove(folder, { recursive: true });
  }
}

/** What differs, in a few words; nothing once all is forwarded. */
async function difference(
  gateway: Side,
  centre: Side,
  { here, there }: { readonly here: Client; readonly there: Client },
): Promise<readonly string[]> {
  const [sent, found] = [await rowsOf(gateway, here), await rowsOf(centre, there)];
  ok(found.length <= sent.length, "the centre has no row that the gateway lacks");
  const known = new Set(found);
  return sent.filter((row) => !known.has(row)).slice(0, 3);
}

async function rowsOf(side: Side, { token }: Client): Promise<readonly string[]> {
  type Row = Readonly<Record<"tag" | "ts" | "value", unknown>>;
  const rows = await selectRows<Row>(side, {
    token,
    sql: "SELECT sensor_tag AS tag, ts, value FROM sample JOIN tag USING (tag_no) ORDER BY ALL",
  });
  return rows.map(({ tag, ts, value }) => `${tag} ${ts} ${value}`);
}

if (import.meta.main) {
  const { out } = systemEffects();
  const [kills = 20, seed = 1] = Deno.args.map(Number);
  const report = await killForwarding({ kills, seed, tell: (text) => out(`${text}\n`) });
  out(
    `${kills} kills of each side, seed ${seed}: ${report.acknowledged} requests acknowledged, ` +
      `${report.rows} rows once at the centre\n`,
  );
}
