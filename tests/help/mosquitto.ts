// A real broker, mosquitto, on a port of its own; its tests are skipped where it is not.
import { utf8 } from "../../src/base/bytes.ts";

/** Whether mosquitto is on PATH; says so where it is not. */
export function hasMosquitto(): boolean {
  try {
    new Deno.Command("mosquitto", { args: ["-h"], stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch {
    Deno.stderr.writeSync(utf8("SKIPPED: there is no mosquitto to test with\n"));
    return false;
  }
}

/** A broker that runs; `stop` ends it as `kill -9` does. */
export type Mosquitto = { readonly port: number; readonly stop: () => Promise<void> };

/** Starts a broker with some lines of configuration behind its listener; at a port, if given. */
export async function startMosquitto(
  lines: readonly string[],
  { port: wanted = 0 }: { readonly port?: number } = {},
): Promise<Mosquitto> {
  const folder = await Deno.makeTempDir();
  const free = Deno.listen({ hostname: "127.0.0.1", port: wanted });
  const { port } = free.addr as Deno.NetAddr;
  free.close();
  const conf = `${folder}/mosquitto.conf`;
  const user = Deno.uid() === 0 ? ["user root"] : [];
  await Deno.writeTextFile(conf, [`listener ${port} 127.0.0.1`, ...user, ...lines, ""].join("\n"));
  const child = new Deno.Command("mosquitto", {
    args: ["-c", conf],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const ended = child.status.then(({ code }) => {
    throw new Error(`mosquitto ended with ${code}`);
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
