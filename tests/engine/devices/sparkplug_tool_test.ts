// A real edge node (the Python package pysparkplug) at a real broker, read by the source.
import { deepEqual, match, ok } from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { keepRunning } from "../../../src/engine/devices/driver.ts";
import { sparkplug_driver } from "../../../src/engine/devices/sparkplug.ts";
import { type SourceRow, SourceState } from "../../../src/engine/devices/state.ts";
import { sparkplug } from "../../../src/model/sources/kinds/sparkplug.ts";
import { hasMosquitto, startMosquitto } from "../../help/mosquitto.ts";
import { sourceTools } from "../../help/sources.ts";
import { until } from "../../help/until.ts";

const python = Deno.env.get("PYTHON") ?? "python3";

async function hasNode(): Promise<boolean> {
  const asked = new Deno.Command(python, { args: ["-c", "import pysparkplug"] }).output();
  const found = await asked.then(({ success }) => success, () => false);
  // deno-lint-ignore no-console -- a test that is skipped says so
  if (!found) console.log(`SKIPPED: needs ${python} (or PYTHON=…) with the package pysparkplug`);
  return found;
}

/** A node that has sent its births already. */
async function startNode(port: number) {
  const script = new URL("sparkplug_node.py", import.meta.url).pathname;
  const child = new Deno.Command(python, {
    args: [script, `${port}`],
    ...{ stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn();
  const output = child.stdout.getReader();
  const input = child.stdin.getWriter();
  await output.read();
  return {
    tell: (line: string) => input.write(new TextEncoder().encode(`${line}\n`)),
    async end() {
      await input.close().catch(() => {});
      await child.status;
      await output.cancel();
    },
  };
}

Deno.test({
  name: "a node of another maker is read: late, by data, over a gap, until its death",
  ignore: !hasMosquitto() || !await hasNode(),
  async fn() {
    const broker = await startMosquitto(["allow_anonymous true"]);
    const node = await startNode(broker.port);
    const effects = systemEffects();
    const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
    const rows: SourceRow[] = [];
    const tools = {
      ...sourceTools({ effects, state, store: (some) => Promise.resolve(void rows.push(...some)) }),
      newest: () => Promise.resolve(undefined),
    };
    const entry = sparkplug.form.parse({
      ...{ key: "e", kind: "sparkplug", host: "127.0.0.1", port: broker.port, groups: ["g"] },
      ...{ tag: "{device}.{metric}", node_tag: "{node}.{metric}" },
    });
    const [link] = sparkplug_driver.open(entry, tools);
    const stop = new AbortController();
    const running = keepRunning(link, tools, stop.signal);
    const last = (tag: string) => rows.findLast((it) => it.tag === tag);
    const shows = (tag: string, value: number | bigint) =>
      until(() => last(tag)?.value === value, { what: `${tag} = ${value}` });
    try {
      await until(() => state.connected === true, { what: "the broker" });
      // Its births were before this host: the first data make it ask for them again.
      await node.tell("device 7.5");
      await shows("inv.P", 7.5);
      await shows("py.uptime", 1n);
      await node.tell("node 5");
      await shows("py.uptime", 5n);
      await node.tell("skip");
      await node.tell("device 8.5");
      await until(() => [...state.reasons.keys()].some((it) => /follows a gap/.test(it)));
      await shows("inv.P", 8.5);
      ok(Math.abs(state.clock.ahead_us!) < 60e6, `${state.clock.ahead_us}`);
      await node.tell("die");
      await until(() => last("inv.P")?.value === undefined, { what: "a bad sample" });
      const lost = state.devices.filter(({ connected }) => connected === false);
      deepEqual(lost.map(({ name }) => name), ["g/py"]);
      match(lost[0].last_error!, /the edge node has gone/);
    } finally {
      await node.end();
      stop.abort();
      await running;
      await broker.stop();
    }
  },
});
