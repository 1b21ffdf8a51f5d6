// A real server, killed at any moment of ingest: what it acknowledged is there once, nothing twice.
import { deepEqual, doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { type Client, declareProject, rows_per_request, send } from "../../help/client.ts";
import { runProgram, type Server, startServer } from "../../help/process.ts";

/** Four clients that send until the server is killed, in the middle of work, after `acks`. */
async function sendUntilKilled(
  server: Server,
  client: Client,
  { acks, first }: { readonly acks: number; readonly first: number },
): Promise<{ acknowledged: number[]; sent: number }> {
  const acknowledged: number[] = [];
  let next = first;
  let killed: Promise<number> | undefined;
  const work = async () => {
    while (!killed) {
      const n = next++;
      if (await send(server, client, n)) acknowledged.push(n);
      if (acknowledged.length === acks) killed ??= server.end("SIGKILL");
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  await killed;
  return { acknowledged, sent: next };
}

async function stored(data_dir: string): Promise<{ n: number; rows: number; points: number }[]> {
  const sql = "SELECT value::INTEGER AS n, count(*) AS rows, " +
    "count(DISTINCT (tag_no, ts)) AS points FROM sample GROUP BY n ORDER BY n";
  const { code, out, err } = await runProgram(["query", sql, "--json", "--data-dir", data_dir]);
  equal(code, 0, err);
  return out.trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test("kill -9 during ingest loses nothing acknowledged and stores nothing twice", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const acknowledged = new Set<number>();
  let client: Client | undefined;
  let first = 0;
  for (const acks of [3, 17, 40]) {
    const server = await startServer(data_dir);
    client ??= await declareProject(server);
    const round = await sendUntilKilled(server, client, { acks, first });
    for (const n of round.acknowledged) acknowledged.add(n);
    // The last of the round again: what was stored but not acknowledged must not stand twice.
    first = Math.max(0, round.sent - 2);
  }
  const groups = await stored(data_dir);
  for (const { n, rows, points } of groups) {
    deepEqual({ n, rows, points }, { n, rows: rows_per_request, points: rows_per_request });
  }
  const missing = acknowledged.difference(new Set(groups.map(({ n }) => n)));
  deepEqual([...missing], []);
  ok(acknowledged.size >= 60);
  const verified = await runProgram(["verify", "--data-dir", data_dir]);
  match(verified.out, /, 0 rows differ/);
});

Deno.test("a second server on the same data is refused and names the first", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const first = await startServer(data_dir);
  await rejects(
    startServer(data_dir),
    /ended with 1: wattkeeper: the data directory .* process \d+/,
  );
  const taken = new URL(first.address).port;
  const other = `${await Deno.makeTempDir()}/data`;
  const flaws = {
    [`--port ${taken}`]: `port ${taken} on 127.0.0.1 is in use: stop what listens there, or`,
    "--host 192.0.2.9": "nothing can listen on 192.0.2.9, which the setting host",
  };
  for (const [flag, flaw] of Object.entries(flaws)) {
    const words = await startServer(other, { args: flag.split(" ") }).catch(({ message }) =>
      message
    );
    match(words, new RegExp(`ended with 1: wattkeeper: ${flaw}`));
    doesNotMatch(words, /wk_/);
  }
  // The administrator's token is made, and shown, by the start that listens.
  const second = await startServer(other);
  match(String(second.token), /^wk_/);
  equal(await second.end("SIGTERM"), 0);
  equal(await first.end("SIGKILL"), 137);
});

Deno.test("SIGTERM ends in good order: exit code 0 and an empty log", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const server = await startServer(data_dir);
  const client = await declareProject(server);
  ok(await send(server, client, 1));
  equal(await server.end("SIGTERM"), 0);
  await rejects(Deno.stat(`${data_dir}/wattkeeper.duckdb.wal`), Deno.errors.NotFound);
  match(await Deno.readTextFile(`${data_dir}/wattkeeper.stamp`), /^(\d{16} \d{16} \d{16}\n)\1$/);
  equal((await stored(data_dir)).length, 1);
  // Told to stop while the loops are at their first pass.
  equal(await (await startServer(data_dir)).end("SIGTERM"), 0);
});
