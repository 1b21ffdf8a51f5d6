// Who gets the fleet's webhooks: what has come, and whether its sender held the shard by then.
import { equal } from "node:assert/strict";
import { type FleetWorld, pause } from "./fleet_world.ts";

/** A process of a shard, and the node that started it. */
type Sender = { readonly node: string; readonly no: number };

/** The node that holds each shard, as far as its lease holds. */
type Held = ReadonlyMap<number, string>;

const look_ms = 500;

/** A receiver at a port of this machine. */
export class Receiver {
  /** How often the event of an alarm came, by the alarm's id. */
  readonly came = new Map<string, number>();
  /** Webhooks by processes whose node had lost the shard when it was looked at last. */
  stray = 0;
  /** Webhooks whose sender was found. */
  known = 0;
  readonly #world: FleetWorld;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #senders = new Map<number, Sender>();
  #held: Held = new Map();
  #is_over = false;
  #looking: Promise<void>;

  constructor(world: FleetWorld) {
    this.#world = world;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, { remoteAddr }) => this.#take(request, remoteAddr.port),
    );
    this.#looking = this.#look();
  }

  /** Lets the fleet send it the alarms of all projects. */
  async subscribe({ address, token }: { readonly address: string; readonly token: string }) {
    const answer = await fetch(`${address}/admin/v1/subscriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ name: "rounds", organization: "o", event_types: ["alarm.*"] },
        target: `http://127.0.0.1:${this.#server.addr.port}/`,
      }),
    });
    equal(answer.status, 201, await answer.text());
  }

  async close(): Promise<void> {
    this.#is_over = true;
    await this.#looking;
    await this.#server.shutdown();
  }

  async #take(request: Request, port: number): Promise<Response> {
    const held_before = this.#held;
    const sender = await this.#senderAt(port);
    const { data } = await request.json();
    const id = data.occurrence_id ?? data.svc_occurrence_ref ?? data.id;
    this.came.set(id, (this.came.get(id) ?? 0) + 1);
    if (sender === undefined) return new Response();
    this.known++;
    // It may have got it since it was looked at.
    if (!holds(held_before, sender) && !holds(await this.#heldNow(), sender)) this.stray++;
    return new Response();
  }

  async #look(): Promise<void> {
    while (!this.#is_over) {
      this.#held = await this.#heldNow();
      await this.#learn();
      await pause(look_ms);
    }
  }

  /** As it was seen last while the catalogue is away: nobody can take a shard then. */
  async #heldNow(): Promise<Held> {
    const { shards } = await this.#world.catalog.look().catch(() => ({ shards: undefined }));
    if (shards === undefined) return this.#held;
    return new Map(shards.flatMap(({ no, node, is_held }) => is_held ? [[no, node!]] : []));
  }

  /** Remembers which process is of which node: those of a killed one are nobody's children. */
  async #learn(): Promise<void> {
    for (const node of this.#world.nodes) {
      const [, ...pids] = await node.pids();
      for (const pid of pids) {
        if (this.#senders.has(pid)) continue;
        const words = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
        const [, no] = /\0shard\0(\d+)/.exec(words) ?? [];
        if (no !== undefined) this.#senders.set(pid, { node: node.name, no: Number(no) });
      }
    }
  }

  /** Who has the other end of a connection. */
  async #senderAt(port: number): Promise<Sender | undefined> {
    const end = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
    const line = (await Deno.readTextFile("/proc/net/tcp")).split("\n")
      .map((it) => it.trim().split(/\s+/)).find(([, local]) => local === end);
    const socket = `socket:[${line?.[9]}]`;
    await this.#learn();
    return [...this.#senders].find(([pid]) => linksOf(pid).includes(socket))?.[1];
  }
}

function holds(held: Held, { no, node }: Sender): boolean {
  return held.get(no) === node;
}

function linksOf(pid: number): readonly string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return Array.from(Deno.readDirSync(folder), ({ name }) => {
      try {
        return Deno.readLinkSync(`${folder}/${name}`);
      } catch {
        return "";
      }
    });
  } catch {
    return [];
  }
}
