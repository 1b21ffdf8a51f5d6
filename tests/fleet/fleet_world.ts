// A fleet on this machine: a catalogue, nodes that can be stopped and cut off, and their projects.
import { systemEffects } from "../../src/base/effects.ts";
import { catalogPlace } from "../../src/model/fleet/place.ts";
import { FleetCatalog } from "../../src/store/fleet/fleet_catalog.ts";
import { type Postgres, startPostgres } from "../help/postgres.ts";
import { type Program, tested_program } from "../help/process.ts";
import { explain } from "../help/usage.ts";
import { Relay } from "./relay.ts";

const socket_name = ".s.PGSQL.5432";

/** Where a fleet is on this machine: its folder, and that of the catalogue's socket. */
type Folders = { readonly folder: string; readonly postgres: string };

/** More of the environment of a node. */
type More = (node: Folders & { readonly name: string }) => Readonly<Record<string, string>>;

type Place = Folders & { readonly env: More };

/** One node: its process, and what lies between it and the others. */
export class Node {
  readonly name: string;
  /** Where its clients reach it. */
  readonly port: number;
  readonly to_catalogue: Relay;
  readonly to_node: Relay;
  readonly env: Readonly<Record<string, string>>;
  #child: Deno.ChildProcess | undefined;
  #stopped: readonly number[] = [];
  said = "";

  constructor(name: string, { folder, postgres, env }: Place) {
    this.name = name;
    this.port = freePort();
    const own = `${folder}/node-${name}`;
    Deno.mkdirSync(own);
    this.to_catalogue = new Relay({
      from: { transport: "unix", path: `${own}/${socket_name}` },
      to: { transport: "unix", path: `${postgres}/${socket_name}` },
    });
    this.to_node = new Relay({
      from: { hostname: "127.0.0.1", port: 0 },
      to: { hostname: "127.0.0.1", port: this.port },
    });
    this.env = {
      WATTKEEPER_FLEET_CATALOG: `postgres:host=${own} user=postgres dbname=postgres`,
      WATTKEEPER_FLEET_SECRET: "0123456789abcdef0123456789abcdef",
      WATTKEEPER_FLEET_ADDRESS: `http://127.0.0.1:${this.to_node.port}`,
      WATTKEEPER_FLEET_NODE: name,
      WATTKEEPER_FLEET_FENCE: "process",
      WATTKEEPER_FLEET_SHARDS: "4",
      WATTKEEPER_DATA_DIR: `${folder}/volume`,
      WATTKEEPER_PORT: `${this.port}`,
      WATTKEEPER_WEBHOOK_ALLOW: "127.0.0.1",
      WATTKEEPER_LOG_LEVEL: "warning",
      WATTKEEPER_MEMORY_MB: "600",
      WATTKEEPER_STOP_NOTICE_MS: "0",
      ...env({ folder, postgres, name }),
    };
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  start({ command, args }: Program = tested_program): void {
    const kept = ["PATH", "HOME", "DENO_DIR", "TMPDIR"].flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value]];
    });
    this.#child = new Deno.Command(command, {
      args: [...args, "fleet", "serve"],
      env: { ...Object.fromEntries(kept), ...this.env },
      ...{ clearEnv: true, stdin: "null", stdout: "null", stderr: "piped" },
    }).spawn();
    void this.#listen(this.#child.stderr);
  }

  /** The numbers of its process and of those of its shards. */
  async pids(): Promise<readonly number[]> {
    const { pid } = this.#child!;
    const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
    return [pid, ...text.split(" ").filter(Boolean).map(Number)];
  }

  async kill(): Promise<void> {
    send(this.#child!.pid, "SIGKILL");
    await this.#child!.status;
  }

  /** Ends one of its shards' processes. */
  async killShard(): Promise<void> {
    const [, ...shards] = await this.pids();
    for (const pid of shards) send(pid, "SIGKILL");
  }

  /** Stops it, with its shards or alone. */
  async stop({ is_alone }: { readonly is_alone: boolean }): Promise<void> {
    const pids = await this.pids();
    this.#stopped = is_alone ? pids.slice(0, 1) : pids;
    for (const pid of this.#stopped) send(pid, "SIGSTOP");
  }

  wake(): void {
    // Its shards first: they would answer before they hear that they are no longer its own.
    for (const pid of this.#stopped.toReversed()) send(pid, "SIGCONT");
    this.#stopped = [];
  }

  cut({ is_whole }: { readonly is_whole: boolean }): void {
    this.to_catalogue.cut();
    if (is_whole) this.to_node.cut();
  }

  mend(): void {
    this.to_catalogue.mend();
    this.to_node.mend();
  }

  /** Lets it end, as who stops a service does. */
  async shut(): Promise<void> {
    send(this.#child!.pid, "SIGTERM");
    await this.#child!.status;
  }

  async end(): Promise<void> {
    this.wake();
    await this.shut();
    this.to_catalogue.close();
    this.to_node.close();
  }

  async #listen(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) this.said += text;
  }
}

/** A fleet with its catalogue. */
export class FleetWorld implements AsyncDisposable {
  readonly postgres: Postgres;
  readonly catalog: FleetCatalog;
  readonly nodes: readonly Node[];
  readonly #folder: string;

  private constructor(
    postgres: Postgres,
    names: readonly string[],
    { folder, env }: Omit<Place, "postgres">,
  ) {
    this.postgres = postgres;
    this.#folder = folder;
    const place = catalogPlace(`postgres:${postgres.place}`)!;
    this.catalog = new FleetCatalog(place, { effects: systemEffects() });
    this.nodes = names.map((name) => new Node(name, { folder, postgres: place.host, env }));
  }

  /** Starts it; undefined where there is no PostgreSQL, or no root to start it. */
  static async open(
    names: readonly string[],
    { program = tested_program, env = () => ({}) }: {
      readonly program?: Program;
      readonly env?: More;
    } = {},
  ): Promise<FleetWorld | undefined> {
    const folder = await Deno.makeTempDir({ dir: "/tmp", prefix: "fleet-" });
    const postgres = await startPostgres(`${folder}/postgres`);
    if (postgres === undefined) return undefined;
    const world = new FleetWorld(postgres, names, { folder, env });
    for (const node of world.nodes) node.start(program);
    return world;
  }

  /** The administrator's token, once the home has printed it. */
  async token(): Promise<string> {
    return await this.until("the home answers", () => {
      const said = this.nodes.map((it) => it.said).join("");
      return /shown only now: (wk_\w+)/.exec(said)?.[1];
    });
  }

  /** The node that holds a shard now. */
  async holderOf(no: number): Promise<Node | undefined> {
    const { shards } = await this.catalog.look();
    const { node, is_held } = shards[no];
    return is_held ? this.nodes.find(({ name }) => name === node) : undefined;
  }

  /** Waits until all nodes are alive and each shard with data is held. */
  async settle(): Promise<void> {
    await this.until("the fleet is whole again", async () => {
      const { shards, nodes } = await this.catalog.look().catch(() => ({ shards: [], nodes: [] }));
      const is_whole = nodes.filter(({ is_live }) => is_live).length === this.nodes.length &&
        shards.every((it) => !it.is_used || it.is_held);
      return is_whole && shards.length > 0 || undefined;
    });
  }

  /** Waits for what `find` gives. Throws what the nodes said where it takes too long. */
  async until<T>(what: string, find: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (let tries = 0; tries < 600; tries++) {
      const found = await find();
      if (found !== undefined) return found;
      await pause(200);
    }
    const said = this.nodes.map(({ name, said }) => `${name}: ${said.slice(-3000)}`).join("\n");
    throw new Error(`not within two minutes: ${what}\n${said}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.nodes.map((it) => it.end()));
    await this.catalog.close();
    await this.postgres[Symbol.asyncDispose]();
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** Waits so many milliseconds. */
export function pause(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms));
}

function send(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Arguments of a script, in order: what each is where it is left out, and what it is like. */
type Arguments = readonly (readonly [usual: string, form: RegExp])[];

export const whole = /^[1-9]\d*$/;

/** What a script was given; where that is --help or can't be understood, it ends with its usage. */
export function argumentsOf(usage: string, known: Arguments): readonly string[] {
  explain(usage, (it, i) => known[i]?.[1].test(it));
  return known.map(([usual], i) => Deno.args[i] ?? usual);
}
