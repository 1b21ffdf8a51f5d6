// `deno run -A tests/bench/flow.ts [root] [--files]`: how many files of `src` each flow runs.
import { systemEffects } from "../../src/base/effects.ts";
import { inspect, type Inspector } from "./inspector.ts";

/** What a flow works with. */
type World = {
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Resolves when the receiver is told of an event of this type. */
  readonly told: (type: string) => Promise<void>;
  readonly project_id: string;
  readonly issue_id: string;
};
type Answer = Readonly<Record<string, unknown>>;

/** Each flow; its first turn, 0, is not measured. */
const flows: Readonly<Record<string, (world: World, turn: number) => Promise<unknown>>> = {
  "a sample, until it is stored": (world) => send(world, "mtr1.p_kw", 100),
  "a performance request": ({ call, project_id }) => {
    const day = new Date().toISOString().slice(0, 10);
    const asked = new URLSearchParams({
      ...{ project_ids: project_id, dt_start: day, dt_end: day, time_interval: "OneHour" },
      ...{ component: "meter", component_measure: "active_power" },
    });
    return call("GET", `/platform/v1/performance-v2?${asked}`);
  },
  "a sample that raises an alarm, until the webhook arrives": async (world, turn) => {
    const told = world.told("alarm.raised");
    await send(world, "inv1.alarm_word", 17 + turn);
    await told;
  },
  "a change of an issue, until the webhook arrives": async ({ call, told, ...world }, turn) => {
    const arrived = told("issue.updated");
    const path = `/platform/v1/issues/${world.issue_id}?project_id=${world.project_id}`;
    await call("PATCH", path, { name: `Fan is loud, ${turn}` });
    await arrived;
  },
};

/** So long the loops of a service take at most to be done with what a flow left them. */
const calm_ms = 4_000;
/** A file counts that ran in each of them: what happens to run beside one is none of its own. */
const turns = 3;

const root = Deno.realPathSync(Deno.args.find((arg) => !arg.startsWith("--")) ?? ".");
const shows_files = Deno.args.includes("--files");
const folder = await Deno.makeTempDir();
const child = new Deno.Command(Deno.execPath(), {
  args: [
    ...["run", "-A", "--no-check", "--inspect=127.0.0.1:0", "main.ts", "serve", "--port", "0"],
    ...["--data-dir", folder, "--webhook-allow", "127.0.0.1"],
  ],
  cwd: root,
  stderr: "piped",
  stdout: "null",
}).spawn();
try {
  const said = await readUntil(child.stderr, /listening on http/);
  const inspector = await inspect(/ws:\/\/\S+/.exec(said)![0]);
  const world = await openWorld({
    address: /listening on (http:\/\/[^\s"]+)/.exec(said)![1],
    token: /shown only now: (wk_\w+)/.exec(said)![1],
  });
  print(`${root}\nfiles  ms  flow`);
  for (const [name, flow] of Object.entries(flows)) {
    await flow(world, 0);
    await pause(calm_ms);
    const { files, took_ms } = await measure(inspector, (turn) => flow(world, turn));
    print(`${String(files.length).padStart(5)} ${took_ms.toFixed(0).padStart(3)}  ${name}`);
    if (shows_files) print(files.map((file) => `           ${file}`).join("\n"));
  }
} finally {
  child.kill("SIGKILL");
  await child.status;
  await Deno.remove(folder, { recursive: true });
}
Deno.exit();

/** The files that a flow ran every time, less those that run while nothing happens for as long. */
async function measure(inspector: Inspector, flow: (turn: number) => Promise<unknown>) {
  const took_ms: number[] = [];
  let ran: ReadonlySet<string> | undefined;
  for (let turn = 1; turn <= turns; turn++) {
    await inspector.takeFiles();
    const from_ms = performance.now();
    await flow(turn);
    took_ms.push(performance.now() - from_ms);
    const files = await inspector.takeFiles();
    ran = ran?.intersection(files) ?? files;
    await pause(calm_ms);
  }
  const least_ms = Math.min(...took_ms);
  await inspector.takeFiles();
  await pause(least_ms);
  const idle = await inspector.takeFiles();
  const prefix = `file://${root}/src/`;
  const files = [...ran!.difference(idle)].filter((url) =>
    url.startsWith(prefix) && url.endsWith(".ts")
  );
  return { files: files.map((url) => url.slice(prefix.length)).sort(), took_ms: least_ms };
}

/** The example site, an issue, and a subscription to a receiver of this process. */
async function openWorld(
  { address, token }: { readonly address: string; readonly token: string },
): Promise<World> {
  const waiting = new Map<string, () => void>();
  const receiver = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const { type } = await request.json();
      waiting.get(type)?.();
      return new Response();
    },
  );
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const is_text = typeof body === "string";
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": is_text ? "application/toml" : "application/json",
      },
      body: body === undefined || is_text ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text.startsWith("{") ? JSON.parse(text) : {};
  };
  const site = await Deno.readTextFile(`${root}/data/example.site.toml`);
  await call("PUT", "/admin/v1/sites/la-mancha-1", site);
  const known = await call("GET", "/platform/v1/meta/projects");
  const [{ project_id }] = known.projects as { project_id: string }[];
  const target = `http://127.0.0.1:${receiver.addr.port}/`;
  const asked = { name: "flow", organization: "example", target, event_types: ["*"] };
  await call("POST", "/admin/v1/subscriptions", asked);
  const issues = `/platform/v1/issues?project_id=${project_id}`;
  const issue_id = String((await call("POST", issues, { name: "Fan is loud" })).id);
  const told = (type: string) => new Promise<void>((resolve) => waiting.set(type, resolve));
  return { call, told, project_id, issue_id };
}

function send({ call, project_id }: World, tag: string, value: number): Promise<Answer> {
  const path = `/ingest/v1/signals?project_id=${project_id}`;
  return call("POST", path, [{ tag, ts: new Date().toISOString(), value }]);
}

function print(text: string): void {
  systemEffects().out(`${text}\n`);
}

function pause(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms));
}

/** What a stream says until it says `end`; the rest is read and thrown away. */
async function readUntil(stream: ReadableStream<Uint8Array>, end: RegExp): Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!end.test(said)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the service ended: ${said}`);
    said += value;
  }
  const drain = async () => {
    while (!(await reader.read()).done);
  };
  drain().catch(() => {});
  return said;
}
