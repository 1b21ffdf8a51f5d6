// Sleeps of many at once: how many timers they take, and that none is left. Turns of long work.
import { deepEqual, equal, ok } from "node:assert/strict";
import { Echo, giveWay, sleep, Turns } from "../../src/base/effects_sleep.ts";

type Timer = Readonly<Record<"wait_ms" | "end_ms", number>>;

/**
 * The timers that `work` sets, which go on as they do. Each look at the clock takes a hundredth of
 * a millisecond, however busy the machine is.
 */
function timersOf(work: () => void): readonly Timer[] {
  const { setTimeout } = globalThis;
  let now_ms = performance.now();
  performance.now = () => now_ms += 0.01;
  const timers: Timer[] = [];
  const watched = (call: () => void, wait_ms = 0) => {
    timers.push({ wait_ms, end_ms: performance.now() + wait_ms });
    return setTimeout(call, wait_ms);
  };
  globalThis.setTimeout = watched as typeof setTimeout;
  try {
    work();
  } finally {
    globalThis.setTimeout = setTimeout;
    Reflect.deleteProperty(performance, "now");
  }
  return timers;
}

const hour_ms = 3_600_000;

Deno.test("sleeps that end at about one instant share a timer that is not too early", async () => {
  const stop = new AbortController();
  const sleeping: Promise<void>[] = [];
  const from_ms = performance.now();
  const timers = timersOf(() => {
    // As many that ask for one instant, one after the other.
    for (let i = 0; i < 200; i++) {
      sleeping.push(sleep(from_ms + hour_ms - performance.now(), stop.signal));
    }
  });
  ok(timers.length <= 2, `${timers.length} timers`);
  ok(timers.every(({ end_ms }) => end_ms >= from_ms + hour_ms));
  stop.abort();
  await Promise.all(sleeping);
});

Deno.test("one who is woken leaves the others of a timer asleep, until theirs aborts", async () => {
  const [one, both] = [new AbortController(), new AbortController()];
  const woken: string[] = [];
  const timers = timersOf(() => {
    const asleep = (name: string, ...signals: AbortSignal[]) =>
      void sleep(hour_ms, ...signals).then(() => woken.push(name));
    asleep("a", one.signal, both.signal);
    asleep("b", both.signal);
  });
  ok(timers.length <= 2);
  one.abort();
  await Promise.resolve();
  await Promise.resolve();
  deepEqual(woken, ["a"]);
  both.abort();
  await Promise.resolve();
  await Promise.resolve();
  deepEqual(woken, ["a", "b"]);
});

Deno.test("a short sleep has a timer of its own, and an ended signal none", async () => {
  let sleeping: Promise<unknown> | undefined;
  const timers = timersOf(() => sleeping = Promise.all([sleep(1), sleep(1)]));
  deepEqual(timers.map(({ wait_ms }) => wait_ms), [1, 1]);
  await sleeping;
  equal(timersOf(() => sleeping = sleep(hour_ms, AbortSignal.abort())).length, 0);
  await sleeping;
});

/** Long work of a millisecond a step: at which steps it gives way. */
async function stepsOf(
  steps: number,
  hasNews: (step: number) => boolean | undefined,
): Promise<readonly number[]> {
  let now_ms = 0;
  const turn = () => Promise.resolve();
  const turns = new Turns({ now_ms: () => now_ms, hasNews: () => hasNews(now_ms), turn });
  const gave: number[] = [];
  await turns.giveWay();
  for (now_ms = 1; now_ms <= steps; now_ms++) {
    if (!turns.isLong()) continue;
    gave.push(now_ms);
    await turns.giveWay();
  }
  return gave;
}

Deno.test("long work gives way every few milliseconds while others wait, else hardly", async () => {
  deepEqual(await stepsOf(10, () => true), [3, 6, 9]);
  deepEqual(await stepsOf(31, () => false), [15, 30]);
  deepEqual(await stepsOf(12, (step) => step >= 8), [8, 11], "at once for who comes late");
  deepEqual(await stepsOf(10, () => undefined), [3, 6, 9], "where nobody can tell");
});

Deno.test("work that waited for another thread goes on: others had their turn meanwhile", () => {
  let now_ms = 0;
  const turn = () => Promise.resolve();
  const turns = new Turns({ now_ms: () => now_ms, hasNews: () => true, turn });
  equal(turns.isLong(), true);
  turns.goOn();
  equal(turns.isLong(), false);
  now_ms = 3;
  equal(turns.isLong(), true);
});

/** Long work that never pauses by itself, until a client of its server has been answered. */
const busy_server = `
  import { giveWay, isLongTurn } from "${import.meta.resolve("../../src/base/effects.ts")}";
  let answered = false;
  const onListen = () => {};
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, () => new Response("ok"));
  const ask = "exec 3<>/dev/tcp/127.0.0.1/" + server.addr.port +
    "; printf 'GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3";
  const client = new Deno.Command("bash", { args: ["-c", ask], stdout: "piped" }).output();
  client.then(() => answered = true);
  for (let step = 0; step < 1e9 && !answered; step++) if (isLongTurn()) await giveWay();
  console.log(new TextDecoder().decode((await client).stdout).split(" ")[1]);
  Deno.exit(answered ? 0 : 1);
`;

// The first turn loads the C library, which stays: no test is to be told that it left it.
await giveWay();

Deno.test("what needs no wait is done before a turn is over, each time", async () => {
  let early = 0;
  for (let turn = 0; turn < 2_000; turn++) {
    let done = 0;
    const pausing = (async () => {
      for (; done < 100; done++) await null;
    })();
    await giveWay();
    if (done < 100) early++;
    await pausing;
  }
  equal(early, 0);
});

Deno.test("who comes while long work gives way is answered", async () => {
  const args = ["eval", "--no-check", "--unstable-net", busy_server];
  const { code, stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  deepEqual([code, new TextDecoder().decode(stdout)], [0, "200\n"]);
});

Deno.test("a byte that does not come back is waited for once, a refused one never", async () => {
  let closed = 0;
  const addr: Deno.NetAddr = { transport: "udp", hostname: "127.0.0.1", port: 9 };
  const close = () => void closed++;
  const receive = () => new Promise<never>(() => {});
  const lost = new Echo({ addr, close, receive, send: () => Promise.resolve(1) }, 0);
  equal(await lost.call(), false);
  const send = () => Promise.reject(new Error("the network is unreachable"));
  equal(await new Echo({ addr, close, receive, send }, 3_600_000).call(), false);
  equal(closed, 2);
});

const byteFrom = (
  addr: Deno.NetAddr,
): [Uint8Array<ArrayBuffer>, Deno.Addr] => [new Uint8Array(1), addr];

Deno.test("bytes that other programs send are taken for none of one's own", async () => {
  const addr: Deno.NetAddr = { transport: "udp", hostname: "127.0.0.1", port: 9 };
  const came: Deno.NetAddr[] = [{ ...addr, port: 10 }, { ...addr, hostname: "127.0.0.2" }];
  const receive = () => Promise.resolve(byteFrom(came.shift()!));
  const send = () => Promise.resolve(came.push(addr));
  equal(await new Echo({ addr, close() {}, receive, send }, 3_600_000).call(), true);
  // What is left would be there at once the next time, and nothing would be waited for.
  deepEqual(came, []);
  const flood = () => Promise.resolve(byteFrom({ ...addr, port: 10 }));
  equal(await new Echo({ addr, close() {}, receive: flood, send }, 3_600_000).call(), false);
});
