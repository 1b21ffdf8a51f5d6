// kill -9 at any moment between samples and alarms: after it the same alarms, each once.
import assert from "node:assert/strict";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { run_source } from "../../help/process.ts";
import { beyond } from "./kill_watch.ts";
import { queryRows } from "../../help/query.ts";

const writer = new URL("./kill_watch_writer.ts", import.meta.url).pathname;
const rounds = 4;

Deno.test("alarms survive kill -9 with their samples: none twice, none missed", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/kill.db`;
  const base_us = Math.floor(Date.now() / 1000 - 86_400) * 1_000_000;
  let [seed, last] = [3, -1];
  try {
    for (let round = 0; round < rounds; round++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      const first = Math.max(0, last - 4);
      last = await writeAndKill([path, String(first), String(base_us)], 1 + (seed >>> 8) % 30);
      await check(path, base_us);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Runs the writer, kills it after some answers, and gives the last number that it printed. */
async function writeAndKill(args: readonly string[], after: number): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...run_source, writer, ...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  let killed = false;
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (killed || text.split("\n").length <= after) continue;
    child.kill("SIGKILL");
    killed = true;
  }
  await child.status;
  assert.ok(killed, "the writer ended by itself");
  return Number(text.split("\n").at(-2));
}

/** The alarms are those that the stored values make. */
async function check(path: string, base_us: number): Promise<void> {
  const { effects } = fakeEffects();
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 512 });
  try {
    const [{ stored }] = await database.read((connection) =>
      queryRows<{ stored: number }>(connection, "SELECT count(*)::INTEGER AS stored FROM sample")
    );
    const found = await database.read((connection) =>
      queryRows<{ line: string }>(
        connection,
        "SELECT concat_ws(' ', (raised_at - $base_us) // 1000000, " +
          "coalesce((cleared_at - $base_us) // 1000000, -1), events_total, (SELECT count(*) " +
          "FROM occurrence_event AS e WHERE e.occurrence_no = o.occurrence_no)) AS line " +
          "FROM occurrence AS o ORDER BY raised_at, occurrence_no",
        { base_us },
      )
    );
    assert.deepEqual(found.map(({ line }) => line), expected(stored));
  } finally {
    await database.close();
  }
}

/** Raised a second after the first value beyond, cleared two after the first within. */
function expected(stored: number): string[] {
  return Array.from({ length: stored }, (_, n) => n)
    .filter((n) => beyond(n) && !(n > 0 && beyond(n - 1)) && n + 1 < stored)
    .map((n) => n + 5 < stored ? `${n + 1} ${n + 5} 2 2` : `${n + 1} -1 1 1`);
}
