// A station of another maker (the Python package c104), read over the network.
import { deepEqual, equal, ok } from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { iec104_driver } from "../../../src/engine/devices/iec104.ts";
import { type SourceRow, SourceState } from "../../../src/engine/devices/state.ts";
import { sourceTools } from "../../help/sources.ts";
import { iec104 } from "../../../src/model/sources/kinds/iec104.ts";

const python = Deno.env.get("PYTHON") ?? "python3";

/** A station with a point of each type; each line that it gets changes a value and sends it. */
const station = `
import c104, sys, datetime
server = c104.Server(ip="127.0.0.1", port=int(sys.argv[1]), tick_rate_ms=50)
st = server.add_station(common_address=47)
T = c104.Type
def add(io, type, value):
    p = st.add_point(io_address=io, type=type)
    p.value = value
    return p
points = {
    1: add(1, T.M_SP_NA_1, True), 2: add(2, T.M_DP_NA_1, c104.Double.ON),
    3: add(3, T.M_ST_NA_1, c104.Int7(-7)), 4: add(4, T.M_BO_NA_1, c104.Byte32(0xDEADBEEF)),
    5: add(5, T.M_ME_NA_1, c104.NormalizedFloat(-0.5)), 6: add(6, T.M_ME_NB_1, c104.Int16(-1234)),
    7: add(7, T.M_ME_NC_1, 12.5), 8: add(8, T.M_IT_NA_1, 123456),
    11: add(11, T.M_SP_TB_1, True), 16: add(16, T.M_ME_TE_1, c104.Int16(77)),
    17: add(17, T.M_ME_TF_1, -0.25),
    65537: add(65537, T.M_ME_NC_1, 1e6),
}
server.start()
print("ready", flush=True)
for line in sys.stdin:
    io, text = line.split()
    points[int(io)].value = float(text)
    points[int(io)].transmit(cause=c104.Cot.SPONTANEOUS)
`;

const addresses = [1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 17, 65_537];

Deno.test("a station of another maker is read: all types, asked and by change", async () => {
  const found = await new Deno.Command(python, { args: ["-c", "import c104"] }).output()
    .then(({ success }) => success, () => false);
  // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
  if (!found) return console.log(`SKIPPED: ${python} has no package c104`);
  const port = freePort();
  const child = new Deno.Command(python, {
    args: ["-c", station, `${port}`],
    ...{ stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn();
  const output = child.stdout.getReader();
  const commands = child.stdin.getWriter();
  const stop = new AbortController();
  try {
    await output.read();
    const entry = iec104.form.parse({
      ...{ key: "sub", kind: "iec104", host: "127.0.0.1", port, counters_s: 3_600 },
      stations: [{
        station: 47,
        points: addresses.map((address) => ({ tag: `t${address}`, address })),
      }],
    });
    const effects = systemEffects();
    const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
    const rows = new Map<string, SourceRow>();
    let told = Promise.withResolvers<void>();
    const store = (some: readonly SourceRow[]) => {
      for (const row of some) rows.set(row.tag, row);
      told.resolve();
      told = Promise.withResolvers();
      return Promise.resolve();
    };
    const [link] = iec104_driver.open(entry, sourceTools({ effects, state, store }));
    const running = link.run(stop.signal, () => {});
    const until = async (done: () => boolean) => {
      while (!done()) await Promise.race([told.promise, running]);
    };
    await until(() => rows.size === addresses.length);
    deepEqual(addresses.map((address) => rows.get(`t${address}`)!.value), [
      ...[1, 2, -7, 0xdeadbeef, -0.5, -1234, 12.5, 123_456, 1, 77, -0.25, 1e6],
    ]);
    await commands.write(new TextEncoder().encode("17 99.5\n"));
    await until(() => rows.get("t17")!.value === 99.5);
    const age_s = (effects.now_us() - rows.get("t17")!.ts_us) / 1e6;
    ok(age_s > -60 && age_s < 60, `${age_s}`);
    equal(state.errors.protocol, 0);
    stop.abort();
    await running.catch(() => {});
  } finally {
    stop.abort();
    await commands.close().catch(() => {});
    await output.cancel();
    child.kill("SIGKILL");
    await child.status;
  }
});

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}
