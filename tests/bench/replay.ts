// `deno run -A tests/bench/replay.ts [rows in millions] [root]`: pages of a replay by watermark.
//
// Makes a plant of its own (30 million samples and their minutes: 1 GB), serves it by the sources
// in `root`, and reads pages of 100 000 rows from the beginning, around the middle and at the end.
import replay_world_sql from "./replay_world.sql" with { type: "text" };
import { systemEffects } from "../../src/base/effects.ts";
import { Access } from "../../src/engine/access/access.ts";
import { from_source, type Server, startServer } from "../help/process.ts";
import { peakMemoryMb } from "./read.ts";
import { withDatabase } from "./world.ts";

const rows = Number(Deno.args[0] ?? 30) * 1_000_000;
const root = Deno.realPathSync(Deno.args[1] ?? new URL("../..", import.meta.url).pathname);
const piece = 5_000_000;
const page = 100_000;
const turns = 9;
/** As `replay_world.sql` has them. */
const live_minutes = Math.floor(rows / 2 / 2000);
const live_us = 1_767_225_600_000_000;
const load_us = live_us + (live_minutes + 43_200) * 60_000_000;
const load_commits = (rows - live_minutes * 2000) / 20_000;

/** The stamps from which pages are read. */
const marks = {
  "the beginning": 0,
  "the live half": live_us + live_minutes * 30_000_000,
  "half an hour before the pause": live_us + (live_minutes - 30) * 60_000_000,
  "in the pause": load_us - 86_400_000_000,
  "the load": load_us + load_commits * 10_000,
  "the end": load_us + (load_commits - 5) * 20_000,
};

const folder = await Deno.makeTempDir({ prefix: "wattkeeper-bench-" });
try {
  const token = await fill();
  const args = ["run", "-A", "--no-check", `${root}/main.ts`];
  const server = await startServer(folder, { program: { ...from_source, args } });
  try {
    print(`${root}: ${rows / 1e6} million samples, pages of ${page}`);
    print(`at rest ${Math.round(await peakMemoryMb(server.pid))} MB`);
    for (const resolution of ["raw", "1m"]) {
      for (const [place, since_us] of Object.entries(marks)) {
        await measure(server, { token, resolution, place, since_us });
      }
    }
  } finally {
    await server.end("SIGTERM");
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Makes the plant; gives a token. */
function fill(): Promise<string> {
  return withDatabase(folder, async (database) => {
    const script = (sql: string) => database.write(({ connection }) => connection.script(sql));
    await script(`SET VARIABLE rows = ${rows}`);
    for (const sql of replay_world_sql.split(/;\n\n/)) await script(sql);
    for (let at = 0; at < rows; at += piece) {
      const end = Math.min(rows, at + piece);
      await script(
        `INSERT INTO sample BY NAME FROM samples_of(${at}, ${end}) ORDER BY received_at`,
      );
      await database.checkpoint();
      await script(
        `INSERT INTO minute BY NAME FROM minutes_of(${at}, ${end}) ORDER BY day, tag_no`,
      );
      await database.checkpoint();
    }
    const access = await Access.open({ database, effects: systemEffects() });
    return access.first_token!;
  });
}

async function measure(
  { address, pid }: Server,
  { token, resolution, place, since_us }: {
    readonly token: string;
    readonly resolution: string;
    readonly place: string;
    readonly since_us: number;
  },
): Promise<void> {
  const query = new URLSearchParams({
    ...{ project_id: "p0", resolution, limit: String(page) },
    received_since: new Date(since_us / 1000).toISOString(),
  });
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
  const took_ms: number[] = [];
  const before_ms = await cpuMs(pid);
  for (let turn = 0; turn < turns; turn++) {
    const from_ms = performance.now();
    const answer = await fetch(`${address}/platform/v1/signals?${query}`, { headers });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.bytes();
    took_ms.push(performance.now() - from_ms);
  }
  const cpu_ms = Math.round((await cpuMs(pid) - before_ms) / turns);
  const sorted = took_ms.toSorted((a, b) => a - b).map(Math.round);
  const times = `best ${sorted[0]} ms, median ${sorted[turns >> 1]} ms, CPU ${cpu_ms} ms`;
  const peak = Math.round(await peakMemoryMb(pid));
  print(`${resolution.padEnd(4)}${place.padEnd(30)}${times.padEnd(42)}peak until now ${peak} MB`);
}

/** The processor time that a process has had, in milliseconds. */
async function cpuMs(pid: number): Promise<number> {
  const [, user, system] = /\) .(?: \S+){10} (\d+) (\d+)/
    .exec(await Deno.readTextFile(`/proc/${pid}/stat`))!;
  return 10 * (Number(user) + Number(system));
}

function print(text: string): void {
  systemEffects().out(`${text}\n`);
}
