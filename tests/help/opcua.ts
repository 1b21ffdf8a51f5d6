// OPC UA servers of another maker (the Python package asyncua) and a source that reads one.
import type { ServerValue } from "../../src/wire/sources/opcua.ts";
import { systemEffects } from "../../src/base/effects.ts";
import {
  keepRunning,
  type LastValue,
  type Link,
  SourceFault,
  type SourceTools,
} from "../../src/engine/devices/driver.ts";
import { opcua_driver } from "../../src/engine/opcua/opcua.ts";
import { type SourceRow, SourceState } from "../../src/engine/devices/state.ts";
import { no_alarms } from "./sources.ts";
import { opcua, type OpcuaEntry } from "../../src/model/sources/kinds/opcua.ts";

const python = Deno.env.get("PYTHON") ?? "python3";
const script = new URL("opcua/server.py", import.meta.url).pathname;

/** Whether there is a Python with asyncua; says what is skipped without it. */
export async function hasServer(): Promise<boolean> {
  const found = await new Deno.Command(python, { args: ["-c", "import asyncua"] }).output()
    .then(({ success }) => success, () => false);
  // deno-lint-ignore no-console -- a test that is skipped says so
  if (!found) console.log(`SKIPPED: needs ${python} (or PYTHON=…) with the package asyncua`);
  return found;
}

export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

/** A server that listens; its arguments are those of `opcua/server.py`. */
export async function startServer(port: number, args: readonly string[] = []) {
  const child = new Deno.Command(python, {
    args: [script, "--port", `${port}`, ...args],
    ...{ stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
  const output = child.stdout.getReader();
  const errors = new Response(child.stderr).text();
  const { done } = await output.read();
  if (done) throw new Error(await errors);
  return {
    /** Ends it as a cut of the power does. */
    async kill() {
      child.kill("SIGKILL");
      await child.status;
      await errors;
      await output.cancel();
    },
  };
}

/** A server whose conditions a test turns: `opcua/conditions.py` tells how. */
export async function startConditions(port: number) {
  const child = new Deno.Command(python, {
    args: [new URL("opcua/conditions.py", import.meta.url).pathname, "--port", `${port}`],
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const output = child.stdout.getReader();
  const input = child.stdin.getWriter();
  const errors = new Response(child.stderr).text();
  const said = async () => {
    const { done } = await output.read();
    if (done) throw new Error(await errors);
  };
  await said();
  return {
    async turn(line: string) {
      await input.write(new TextEncoder().encode(line + "\n"));
      await said();
    },
    async kill() {
      child.kill("SIGKILL");
      await child.status;
      await errors;
      await output.cancel();
      await input.abort().catch(() => {});
    },
  };
}

/** Makes a folder with a server's certificate and key, valid for some days from a day on. */
export async function makeCertificate(
  folder: string,
  { from_days, days }: { readonly from_days: number; readonly days: number },
): Promise<void> {
  const maker = new URL("opcua/certificate.py", import.meta.url).pathname;
  const { success, stderr } = await new Deno.Command(python, {
    args: [maker, folder, `${from_days}`, `${days}`],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** A line to a server that can be cut, silenced and made anew. */
export function cuttable(port: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let is_cut = false;
  let is_silent = false;
  const pump = async (from: Deno.Conn, to: Deno.Conn) => {
    await copy(from, to, () => is_silent);
    for (const side of [from, to]) {
      open.delete(side);
      closeQuietly(side);
    }
  };
  const running = (async () => {
    for await (const near of listener) {
      const far = is_cut
        ? undefined
        : await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
      if (!far) {
        near.close();
        continue;
      }
      open.add(near).add(far);
      pump(near, far);
      pump(far, near);
    }
  })();
  return {
    port: listener.addr.port,
    cut() {
      is_cut = true;
      for (const side of open) closeQuietly(side);
    },
    /** Takes what is sent, and passes nothing on. */
    silence() {
      is_silent = true;
    },
    mend() {
      is_cut = false;
      is_silent = false;
    },
    async close() {
      listener.close();
      for (const side of open) closeQuietly(side);
      await running.catch(() => {});
    },
  };
}

/** Passes on what comes, until one side is closed. */
async function copy(from: Deno.Conn, to: Deno.Conn, isSilent: () => boolean): Promise<void> {
  const room = new Uint8Array(65_536);
  try {
    for (;;) {
      const count = await from.read(room);
      if (count === null) return;
      if (isSilent()) continue;
      for (let at = 0; at < count;) at += await to.write(room.subarray(at, count));
    }
  } catch {
    // It was cut.
  }
}

function closeQuietly(side: Deno.Conn): void {
  try {
    side.close();
  } catch {
    // It is closed already.
  }
}

/** A source that is read; what it stores is kept here. */
export function readSource(
  input: object,
  { certificates, secrets = {}, before = new Map(), alarms = no_alarms }: {
    readonly certificates: string;
    readonly alarms?: SourceTools["alarms"];
    readonly secrets?: Readonly<Record<string, string>>;
    /** What was stored before its start. */
    readonly before?: Map<string, Map<number, SourceRow>>;
  },
) {
  const entry = opcua.form.parse({ key: "s", kind: "opcua", ...input }) as OpcuaEntry;
  const effects = systemEffects();
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  /** By tag and instant, as the database has them. */
  const rows = before;
  let told = Promise.withResolvers<void>();
  const store = (some: readonly SourceRow[]) => {
    for (const row of some) keep(rows, row);
    told.resolve();
    told = Promise.withResolvers();
    return Promise.resolve();
  };
  const valued = (tag: string) =>
    [...rows.get(tag)?.values() ?? []].filter(({ value }) => value !== undefined)
      .sort((a, b) => a.ts_us - b.ts_us);
  const stop = new AbortController();
  const tools: SourceTools = {
    ...{ effects, state, emit: store, store, alarms, certificates },
    vet: () => Promise.resolve(["127.0.0.1"]),
    newest: () => Promise.resolve(undefined),
    lastValues: (tags) =>
      Promise.resolve(
        new Map(tags.flatMap((tag): [string, LastValue][] => {
          const last = valued(tag).at(-1);
          return last ? [[tag, { ts_us: last.ts_us, received_us: last.ts_us }]] : [];
        })),
      ),
    secret: (name) =>
      name in secrets
        ? Promise.resolve(secrets[name])
        : Promise.reject(new SourceFault({ kind: "denied", message: `there is no file ${name}` })),
  };
  const [link] = opcua_driver.open(entry, tools);
  const running = keepRunning(link, tools, stop.signal);
  return {
    ...{ state, rows },
    /** The values of a tag, in the order of their time. */
    valued,
    send: sendBy(link, entry),
    /** Waits until something is so; something has to happen for it. */
    async until(is_so: () => boolean) {
      while (!is_so()) await Promise.race([told.promise, soon()]);
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}

function keep(rows: Map<string, Map<number, SourceRow>>, row: SourceRow): void {
  rows.set(row.tag, (rows.get(row.tag) ?? new Map()).set(row.ts_us, row));
}

/** Sends a value to one of a source's setpoints. */
function sendBy(link: Link, { points }: OpcuaEntry) {
  return async (tag: string, value: number) => {
    const limits = points.find((it) => it.tag === tag)!.setpoint!;
    return await link.send!({ tag, value, limits })!;
  };
}

/** Resolves soon: the state has no bell. */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

/** A number as a server sends it. */
export function valueOf(value: unknown, at_us: number, more: object = {}): ServerValue {
  return {
    value: { dataType: 11, arrayType: 0, value },
    statusCode: { value: 0 },
    sourceTimestamp: new Date(Math.floor(at_us / 1000)),
    sourcePicoseconds: (at_us % 1000) * 1e6,
    serverTimestamp: null,
    serverPicoseconds: 0,
    ...more,
  };
}
