// The recipes of the manual for nginx and Caddy, run in front of a real door.
import { deepEqual, equal, ok } from "node:assert/strict";
import { Door } from "../../../src/cli/service/door.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { Connections } from "../../../src/engine/service/connections.ts";
import { clientAddress } from "../../../src/http/frame/client.ts";
import { fakeEffects } from "../../help/effects.ts";

const manual = await Deno.readTextFile(new URL("../../../docs/operate.md", import.meta.url));
const settings = { trusted_proxies: "127.0.0.1" };

/** A recipe of the manual, for the addresses and files of a test. */
function recipe(name: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  const text = manual.split("```" + name + "\n")[1].split("```")[0];
  return changes.reduce((made, [from, to]) => {
    ok(made.search(from) >= 0, `the recipe has no ${from}`);
    return made.replaceAll(from, to);
  }, text);
}

/** A door that tells who asks, and streams events until the client goes. */
function openDoor() {
  const { effects } = fakeEffects();
  const gone = Promise.withResolvers<void>();
  const door = Door.open({ host: "127.0.0.1", port: 0 }, {
    ...{ connections: new Connections({ effects, settings }), effects, log: silent_log },
    answer: async (request, info) => {
      const peer = (info!.remoteAddr as Deno.NetAddr).hostname;
      const bytes = (await request.bytes()).length;
      const told = { bytes, address: clientAddress({ settings }, { request, peer }) };
      if (!request.url.endsWith("/events")) return Response.json(told);
      const start = (controller: ReadableStreamDefaultController) =>
        controller.enqueue(new TextEncoder().encode("data: 1\n\n"));
      const body = new ReadableStream({ start, cancel: () => gone.resolve() });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { door, gone: gone.promise };
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Asks a proxy until it answers, from another address than the proxy's own. */
async function tryProxy(args: readonly string[], origin: string, ca?: string): Promise<void> {
  const { door, gone } = openDoor();
  const path = args.at(-1)!;
  const config = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, config.replaceAll(":8480", `:${door.port}`));
  const [command, ...words] = args;
  const proxy = new Deno.Command(command, { args: words, stdout: "null", stderr: "null" }).spawn();
  using client = Deno.createHttpClient({ localAddress: "127.0.0.2", caCerts: ca ? [ca] : [] });
  try {
    const headers = { "x-forwarded-for": "198.51.100.9" };
    const body = new Uint8Array(3_000_000);
    const answer = await answered(`${origin}/`, { client, headers, method: "POST", body });
    deepEqual(await answer.json(), { bytes: body.length, address: "127.0.0.2" });
    const events = (await fetch(`${origin}/events`, { client })).body!.getReader();
    equal(new TextDecoder().decode((await events.read()).value), "data: 1\n\n");
    await events.cancel();
    await gone;
  } finally {
    proxy.kill();
    await proxy.status;
    await door.close(1000);
  }
}

async function answered(url: string, init: RequestInit & { client: Deno.HttpClient }) {
  for (let tries = 0;; tries++) {
    try {
      return await fetch(url, init);
    } catch (error) {
      if (tries === 1000) throw error;
      await new Deno.Command("sleep", { args: ["0.02"] }).output();
    }
  }
}

/** Whether a program is on this machine; says so if it is not. */
function has(name: string): boolean {
  const found = (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${name}`).isFile;
    } catch {
      return false;
    }
  });
  if (!found) {
    Deno.stderr.writeSync(new TextEncoder().encode(`SKIPPED: install ${name} to run this\n`));
  }
  return found;
}

Deno.test("nginx as in the manual: address of the client, bodies, events", async () => {
  if (!has("nginx") || !has("openssl")) return;
  const folder = await Deno.makeTempDir();
  const port = freePort();
  const [cert, key] = [`${folder}/cert.pem`, `${folder}/key.pem`];
  const words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 " +
    "-subj /CN=localhost -addext subjectAltName=DNS:localhost -addext basicConstraints=CA:FALSE " +
    `-keyout ${key} -out ${cert}`;
  await new Deno.Command("openssl", { args: words.split(" "), stderr: "null" }).output();
  const server = recipe("nginx", [
    ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
    ["/etc/ssl/plant.pem", cert],
    ["/etc/ssl/plant.key", key],
  ]);
  const temps = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  const config = `daemon off; pid ${folder}/pid; error_log ${folder}/log;
    events {} http { access_log off; ${temps} ${server} }`;
  await Deno.writeTextFile(`${folder}/nginx.conf`, config);
  const args = ["nginx", "-e", `${folder}/log`, "-c", `${folder}/nginx.conf`];
  await tryProxy(args, `https://localhost:${port}`, await Deno.readTextFile(cert));
});

Deno.test("Caddy as in the manual: address of the client, bodies, events", async () => {
  if (!has("caddy")) return;
  const folder = await Deno.makeTempDir();
  const port = freePort();
  const site = recipe("caddy", [["plant.example", `http://127.0.0.1:${port}`]]);
  await Deno.writeTextFile(`${folder}/Caddyfile`, `{\n  admin off\n}\n${site}`);
  const args = ["caddy", "run", "--adapter", "caddyfile", "--config", `${folder}/Caddyfile`];
  await tryProxy(args, `http://127.0.0.1:${port}`);
});
