// kill -9 at any moment of ingest: what was acknowledged is there afterwards, nothing twice.
import assert from "node:assert/strict";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { run_source } from "../../help/process.ts";
import { batch_rows, epoch_us } from "./kill_batch.ts";
import { queryRows } from "../../help/query.ts";

const writer = new URL("./kill_writer.ts", import.meta.url).pathname;
const rounds = 5;

Deno.test("acknowledged batches survive kill -9, each row once and each batch whole", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/kill.db`;
  const acknowledged = new Set<number>();
  let seed = 7;
  try {
    for (let round = 0; round < rounds; round++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      const first = Math.max(0, Math.max(-1, ...acknowledged) - 3);
      await writeAndKill({ path, first, after: 1 + (seed >>> 8) % 60 }, acknowledged);
      await check(path, acknowledged);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Runs the writer and kills it once it has acknowledged `after` batches. */
async function writeAndKill(
  { path, first, after }: { path: string; first: number; after: number },
  acknowledged: Set<number>,
): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...run_source, writer, path, String(first)],
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
  // What follows the last line feed is a number that was cut in printing.
  for (const line of text.split("\n").slice(0, -1)) acknowledged.add(Number(line));
}

async function check(path: string, acknowledged: ReadonlySet<number>): Promise<void> {
  const { effects } = fakeEffects();
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 512 });
  try {
    const batches = await database.read((connection) =>
      queryRows<{ batch: number; rows: number; instants: number }>(
        connection,
        "SELECT (ts - $epoch_us::BIGINT) // $batch_rows::BIGINT AS batch, count(*) AS rows, " +
          "count(DISTINCT ts) AS instants FROM sample GROUP BY batch ORDER BY batch",
        { epoch_us, batch_rows },
      )
    );
    for (const { batch, rows, instants } of batches) {
      assert.deepEqual([rows, instants], [batch_rows, batch_rows], `batch ${batch}`);
    }
    const stored = new Set(batches.map(({ batch }) => batch));
    for (const batch of acknowledged) assert.ok(stored.has(batch), `batch ${batch} is lost`);
    const [{ tags, names, orphans }] = await database.read((connection) =>
      queryRows<{ tags: number; names: number; orphans: number }>(
        connection,
        "SELECT count(*) AS tags, count(DISTINCT sensor_tag) AS names, (SELECT count(*) FROM " +
          "sample WHERE tag_no NOT IN (SELECT tag_no FROM tag)) AS orphans FROM tag",
      )
    );
    assert.equal(tags, names);
    assert.equal(orphans, 0);
  } finally {
    await database.close();
  }
}
