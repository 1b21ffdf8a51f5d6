// One round's world: a copy of a prepared data directory, the program on it, the client, chance.
import { Dice } from "../../src/base/random.ts";
import { backUp, copyFolder } from "./folder.ts";
import { type Ended, type Program, runProgram, type Server, startServer } from "../help/process.ts";
import { declareProject } from "../help/client.ts";
import { Client, type Ledger } from "./client.ts";
import { Hook } from "./hook.ts";
import { Preload } from "./preload.ts";
import { age_ms } from "./wish.ts";

/** A data directory as a kill left it, what its client knows, and a backup of it. */
export type Prepared = {
  readonly data_dir: string;
  readonly ledger: Ledger;
  readonly hook: Hook;
  readonly backup: string;
  /** What is preloaded; undefined where it can't be built. */
  readonly library: string | undefined;
  readonly close: () => Promise<void>;
};

/** Some of the tags are measures, so that there are readings, too. */
const devices = [{ key: "inv1", type: "inverter", name: "Inverter 1" }];
const sensors = ["active_power", "dc_power", "dc_voltage", "cabinet_temp"]
  .map((measure, i) => ({ tag: `t${i}`, device: "inv1", measure }));

const args = ["--webhook-allow", "127.0.0.1", "--checkpoint-mb", "1"];

/** Writes so many requests, most of them into the file and the rest into the log. */
export async function prepare(
  library: string | undefined,
  { requests }: { readonly requests: number },
): Promise<Prepared> {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const hook = new Hook();
  let server = await startServer(data_dir, { args });
  const from_ms = Date.now() - age_ms;
  const declared = await declareProject(server, { devices, sensors });
  const ledger = { ...declared, from_ms, sent: new Map() };
  const client = new Client(ledger, hook);
  hook.secret = await client.subscribe(server, { name: "honest", target: hook.url });
  await client.load(server, { requests: Math.floor(requests * 0.75) });
  await server.end("SIGTERM");
  server = await startServer(data_dir, { args });
  await client.load(server, { requests: Math.ceil(requests / 4) });
  const backup = await backUp(server, client);
  await server.end("SIGKILL");
  if (client.wrong.length > 0) throw new Error(client.wrong.join("\n"));
  const close = async () => {
    await hook.close();
    await Deno.remove(backup);
    await Deno.remove(data_dir, { recursive: true });
  };
  return { data_dir, ledger, hook, backup, library, close };
}

/** Where one round happens. */
export class World {
  readonly data_dir: string;
  readonly client: Client;
  readonly backup: string;
  /** Orders for the processes; a kind that needs it is left out where it can't be built. */
  readonly preload: Preload | undefined;
  readonly #dice: Dice;
  #asked = 0;
  #server: Server | undefined;

  private constructor({ ledger, hook, backup, library }: Prepared, seed: number, data_dir: string) {
    this.data_dir = data_dir;
    this.client = new Client(structuredClone(ledger), hook);
    this.backup = backup;
    this.preload = library === undefined ? undefined : new Preload(library);
    this.#dice = new Dice(seed);
  }

  static async open(prepared: Prepared, seed: number): Promise<World> {
    const data_dir = `${await Deno.makeTempDir()}/data`;
    await copyFolder(prepared.data_dir, data_dir);
    return new World(prepared, seed, data_dir);
  }

  /** A whole number in [0, count) by chance. */
  pick(count: number): number {
    return this.#dice.pick(count, { channel: 1, step: this.#asked++ });
  }

  /** One of several by chance. */
  choose<T>(values: readonly T[]): T {
    return values[this.pick(values.length)];
  }

  /** The orders that the processes follow. */
  get orders(): Preload {
    if (this.preload === undefined) throw new Error("the library could not be built");
    return this.preload;
  }

  /** Starts the program on the directory; throws what it said where it does not listen. */
  async start(more: readonly string[] = []): Promise<Server> {
    const { data_dir } = this;
    const env = this.preload?.env;
    return this.#server = await startServer(data_dir, { args: [...args, ...more], env });
  }

  /** Runs a command to its end; kills and faults reach it. */
  run(command: readonly string[], program?: Program): Promise<Ended> {
    const args = [...command, "--data-dir", this.data_dir];
    return runProgram(args, { env: this.preload?.env, program });
  }

  /** Kills what runs. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.end("SIGKILL");
  }

  async close(): Promise<void> {
    await this.kill();
    this.preload?.close();
    await Deno.remove(this.data_dir.replace(/\/data$/, ""), { recursive: true });
  }
}
