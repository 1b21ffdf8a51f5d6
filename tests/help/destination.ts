// A service with a project `p1` that sends its samples to destinations, and real peers for these.
import assert from "node:assert/strict";
import type { Effects } from "../../src/base/effects.ts";
import type { Settings } from "../../src/model/setting.ts";
import { type TestService, testService } from "./service.ts";

/** A service and one destination of its project. */
export type Sending = {
  readonly service: TestService;
  /** Makes or changes the destination; asserts that it is taken. */
  readonly put: (definition: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Stores rows, NDJSON. */
  readonly send: (rows: readonly Readonly<Record<string, unknown>>[]) => Promise<void>;
  /** One turn of the destination; gives when it looks again, in milliseconds. */
  readonly turn: () => Promise<number>;
  /** The destination as the API lists it. */
  // deno-lint-ignore no-explicit-any
  readonly shown: () => Promise<any>;
  readonly close: () => Promise<void>;
};

const plant = "INSERT INTO organization VALUES ('o1', 'o1', 'O 1'); " +
  "INSERT INTO project VALUES (1, 'pid', 'o1', 'p1', 'P 1', NULL, 'UTC')";

const path = "/platform/v1/destinations";

/** Opens it; its clock stands at `at`. */
export async function openSending(
  { at = "2026-06-01T12:00:00Z", settings, ...doors }:
    & { readonly at?: string; readonly settings?: Partial<Settings> }
    & Partial<Pick<Effects, "post" | "connect" | "owns">> = {},
): Promise<Sending> {
  const service = await testService({ at, ...(settings && { settings }), ...doors });
  const { services } = service;
  await services.database.write(({ connection }) => connection.script(plant));
  await services.catalog.reload();
  const list = () => services.destinations.list(1);
  return {
    service,
    async put(definition) {
      const answer = await service.fetch(`${path}/${definition.key}?project_id=p1`, {
        method: "PUT",
        body: JSON.stringify(definition),
        headers: { "content-type": "application/json" },
      });
      assert.ok(answer.ok, await answer.clone().text());
    },
    async send(rows) {
      const answer = await service.fetch("/ingest/v1/signals?project_id=p1", {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: rows.map((row) => JSON.stringify(row)).join("\n"),
      });
      const { rejected } = await answer.json();
      assert.deepEqual(rejected, []);
    },
    turn: () => services.destinations.turn(list()[0]),
    async shown() {
      return (await (await service.fetch(`${path}?project_id=p1`)).json())[0];
    },
    close: () => service.close(),
  };
}

/** Whether a program can be run; says so where it can't. */
export function hasProgram(command: string, args: readonly string[]): boolean {
  try {
    new Deno.Command(command, { args: [...args], stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch {
    Deno.stderr.writeSync(new TextEncoder().encode(`SKIPPED: there is no ${command}\n`));
    return false;
  }
}

/** A real peer that runs on a free port. */
export type Peer = { readonly port: number; readonly stop: () => Promise<void> };

/** Starts one, and waits until it listens; `stop` ends it as `kill -9` does. */
export async function startPeer(
  command: string,
  { argsOf, env = {}, port: wanted }: {
    readonly argsOf: (port: number) => readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly port?: number;
  },
): Promise<Peer> {
  const free = Deno.listen({ hostname: "127.0.0.1", port: wanted ?? 0 });
  const { port } = free.addr as Deno.NetAddr;
  free.close();
  const child = new Deno.Command(command, {
    args: [...argsOf(port)],
    ...{ env, stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  const ended = child.status.then(({ code }) => {
    throw new Error(`${command} ended with ${code}`);
  });
  const listens = (async () => {
    for (;;) {
      const socket = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
      if (socket) return socket.close();
    }
  })();
  await Promise.race([listens, ended]);
  ended.catch(() => {});
  return {
    port,
    async stop() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}
