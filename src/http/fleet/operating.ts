// What an operator asks of a fleet: of all its shards at once, or of one by its number.
import { compareText } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import { home_shard, shardName } from "../../model/fleet/shard.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { rawValues } from "../frame/input.ts";
import { sentBody } from "./body.ts";
import { type Asker, type Gathering, getOf, jsonOf, readJson } from "./gathering.ts";
import { type OperatorNoun, routedPath } from "./meaning.ts";
import { mergeStatus, type Status } from "./merge.ts";
import type { Passage, Passed } from "./passage.ts";

/** A request, with its path and the shard that it names. */
type Call = Passed & { readonly path: string; readonly shard: number | undefined };

type Backup = { readonly name: string; readonly state: string };
type Delivery = { readonly id: string; readonly created_at: string };

const deliveries_path = "/admin/v1/deliveries";
const backups_path = "/admin/v1/backups";

/** Answers operators. Each shard looks itself whether who asks may know it. */
export class Operating {
  readonly #gathering: Gathering;
  readonly #passage: Passage;
  readonly #effects: Pick<Effects, "sleep">;

  constructor(gathering: Gathering, passage: Passage, effects: Pick<Effects, "sleep">) {
    this.#gathering = gathering;
    this.#passage = passage;
    this.#effects = effects;
  }

  async answer(noun: OperatorNoun, { request, peer }: Asker): Promise<Response> {
    const address = new URL(request.url);
    const named = rawValues(address.search.slice(1), "shard");
    address.searchParams.delete("shard");
    const asked = new Request(address, request);
    const passed = { request: asked, peer, body: asked.body };
    const refusal = named.length > 0 && await this.#gathering.refusalOf(passed);
    if (refusal) return refusal;
    const shard = named.length > 0 ? this.#shardOf(named) : undefined;
    return await this.#answerOf(noun, { ...passed, path: routedPath(address), shard });
  }

  #answerOf(noun: OperatorNoun, call: Call): Promise<Response> {
    const { method } = call.request;
    switch (noun) {
      case "query":
        return this.#askOne(call);
      case "status":
        // The home says which methods there are.
        if (method !== "GET" && method !== "HEAD") return this.#passage.send(home_shard, call);
        return this.#status(call);
      case "deliveries":
        return this.#deliveries(call);
      case "backups":
        return this.#backups(call);
    }
  }

  #shardOf(named: readonly string[]): number {
    const { all } = this.#gathering;
    const no = all.find((it) => named.length === 1 && `${it}` === named[0]);
    if (no !== undefined) return no;
    throw new Fault("invalid", `shard: give one of those with data: ${all.join(", ")}`);
  }

  /** What lies in one shard, and is nothing together with others. */
  async #askOne(call: Call): Promise<Response> {
    if (call.shard !== undefined) return await this.#passage.send(call.shard, call);
    const refusal = await this.#gathering.refusalOf(call);
    if (refusal) return refusal;
    const { all } = this.#gathering;
    const help = "`wattkeeper fleet status --json` says where projects lie";
    throw new Fault("invalid", `say of which shard, by shard: one of ${all.join(", ")}; ${help}`);
  }

  /** All shards, of which one that is away is told as what it is: who asks wants to know that. */
  async #status({ request, peer, shard }: Call): Promise<Response> {
    const asked = { request: getOf(request), peer, body: null };
    if (shard !== undefined) return await this.#passage.send(shard, asked);
    const home = await this.#passage.send(home_shard, asked);
    if (!home.ok) return home;
    const others = await Promise.all(this.#gathering.plants.map(async (no) => {
      const wait_ms = fleet_limits.beat_ms;
      const answer = await this.#passage.send(no, { ...asked, wait_ms }).catch(() => undefined);
      const status = answer?.ok ? await readJson<Status>(answer).catch(() => undefined) : undefined;
      if (answer?.ok === false) await answer.body?.cancel();
      return { no, status };
    }));
    const own = { no: home_shard, status: await readJson<Status>(home) };
    return jsonOf(mergeStatus([own, ...others]), home.headers);
  }

  async #deliveries(call: Call): Promise<Response> {
    const { path, request: { method } } = call;
    if (path === deliveries_path && method === "GET") return await this.#listDeliveries(call);
    if (path === `${deliveries_path}/replay` && method === "POST") return await this.#replay(call);
    const [, no, id] = /\/(\d+)-(\d+)$/.exec(path) ?? [];
    if (!this.#gathering.all.includes(Number(no ?? NaN))) {
      return await this.#passage.send(home_shard, call);
    }
    const answer = await this.#askAt(Number(no), call, `${deliveries_path}/${id}`);
    return await changed<Delivery>(answer, (one) => ({ ...one, id: `${no}-${one.id}` }));
  }

  /** The newest of all, page by page of each shard. */
  async #listDeliveries(call: Call): Promise<Response> {
    const { request, peer, shard } = call;
    const { search } = new URL(request.url);
    const numberOf = (name: string, usual: number) => {
      const said = rawValues(search.slice(1), name);
      if (said.length === 0) return usual;
      return said.length === 1 && /^\d+$/.test(said[0]) ? Number(said[0]) : NaN;
    };
    const offset = numberOf("offset", 0);
    const limit = numberOf("limit", webhook_limits.delivery_page_rows_default);
    // The home says what is wrong with them.
    if (Number.isNaN(offset + limit)) return await this.#passage.send(home_shard, call);
    const shards = shard === undefined ? this.#gathering.all : [shard];
    if (offset + limit > webhook_limits.delivery_page_rows) {
      const most = `offset and limit together up to ${webhook_limits.delivery_page_rows}`;
      throw new Fault("invalid", `a fleet's deliveries are listed with ${most}: narrow them`);
    }
    const asked = changedQuery(request, { offset: 0, limit: offset + limit });
    const said = await this.#gathering.said(shards, { request: getOf(asked), peer, body: null });
    if (said instanceof Response) return said;
    const bodies = said.bodies as readonly { readonly deliveries: readonly Delivery[] }[];
    const deliveries = bodies.flatMap((it, i) =>
      it.deliveries.map((one) => ({ ...one, id: `${shards[i]}-${one.id}` }))
    ).toSorted((a, b) => compareText(b.created_at, a.created_at)).slice(offset, offset + limit);
    return jsonOf({ deliveries }, said.answers[0].headers);
  }

  /** Sends events again, wherever they lie; one that no shard knows is what the home says of it. */
  async #replay({ request, peer, shard }: Call & Asker): Promise<Response> {
    const most = webhook_limits.subscription_body_bytes;
    const { bytes } = await sentBody(request, most, this.#effects);
    const passed = { request, peer, body: bytes };
    const shards = shard === undefined ? this.#gathering.all : [shard];
    const answers = await this.#gathering.answers(shards, passed);
    const found = answers.filter(({ ok }) => ok);
    const refusal = answers.find(({ status, ok }) => !ok && status !== 404) ??
      (found.length === 0 ? answers[0] : undefined);
    const unread = answers.filter((it) => it !== refusal && (refusal || !it.ok));
    await Promise.all(unread.map(({ body }) => body?.cancel()));
    if (refusal) return refusal;
    const sums = await Promise.all(found.map((it) => readJson<Replayed>(it)));
    const sum = (name: keyof Replayed) => sums.reduce((all, it) => all + it[name], 0);
    const [{ headers, status }] = found;
    return jsonOf({ events: sum("events"), deliveries: sum("deliveries") }, headers, status);
  }

  async #backups(call: Call): Promise<Response> {
    const { path, request: { method } } = call;
    if (path === backups_path && method === "GET") return await this.#listBackups(call);
    if (path === backups_path && method === "POST") return await this.#makeBackups(call);
    if (path === `${backups_path}/stream`) return await this.#askOne(call);
    // A path is made of it: what may be more than a name is none.
    const [, digits, name] = /\/shard-(\d+)-(\w[\w.-]*)$/.exec(path) ?? [];
    const no = this.#gathering.all.find((it) => it === Number(digits ?? NaN));
    if (no === undefined) return await this.#passage.send(home_shard, call);
    return await changed<Backup>(
      await this.#askAt(no, call, `${backups_path}/${name}`),
      (one) => backupOf(no, one),
    );
  }

  async #listBackups(call: Call): Promise<Response> {
    const listed = await this.#backupsIn(call);
    if (listed instanceof Response) return listed;
    return jsonOf({ backups: listed.backups }, listed.headers);
  }

  async #backupsIn({ request, peer, shard }: Call) {
    const shards = shard === undefined ? this.#gathering.all : [shard];
    const asked = { request: getOf(request, backups_path), peer, body: null };
    const said = await this.#gathering.said(shards, asked);
    if (said instanceof Response) return said;
    const bodies = said.bodies as readonly { readonly backups: readonly Backup[] }[];
    const timeOf = ({ name }: Backup) => /\d{8}T\d{6}Z/.exec(name)?.[0] ?? "";
    const backups = bodies.flatMap((it, i) => it.backups.map((one) => backupOf(shards[i], one)))
      .toSorted((a, b) => compareText(timeOf(a), timeOf(b)));
    return { shards, backups, headers: said.answers[0].headers };
  }

  /** Each shard begins one, unless one of them makes one already; the first one's is named. */
  async #makeBackups(call: Call): Promise<Response> {
    const listed = await this.#backupsIn(call);
    if (listed instanceof Response) return listed;
    const running = listed.backups.find(({ state }) => state === "running");
    if (running) throw new Fault("conflict", `a backup is being made: ${running.name}`);
    const { request, peer } = call;
    const said = await this.#gathering.said(listed.shards, { request, peer, body: null });
    if (said instanceof Response) return said;
    const [{ headers, status }] = said.answers;
    const [{ name }] = said.bodies as readonly Backup[];
    return jsonOf({ name: nameOf(listed.shards[0], name) }, headers, status);
  }

  /** Asks a shard the same at another path. */
  async #askAt(no: number, { request, peer, body }: Passed, path: string): Promise<Response> {
    const { method, headers, signal } = request;
    const own = new Headers(headers);
    own.set("accept-encoding", "identity");
    const address = new URL(request.url);
    address.pathname = path;
    const asked = new Request(address, { method, headers: own, signal });
    return await this.#passage.send(no, { request: asked, peer, body });
  }
}

type Replayed = { readonly events: number; readonly deliveries: number };

/** The name of a shard's backup among those of all. */
function nameOf(no: number, name: string): string {
  return `${shardName(no)}-${name}`;
}

function backupOf(no: number, one: Backup): Backup {
  return { ...one, name: nameOf(no, one.name) };
}

/** An answer in JSON with its document changed; a refusal stays as it is. */
async function changed<T>(answer: Response, change: (said: T) => T): Promise<Response> {
  if (!answer.ok) return answer;
  return jsonOf(change(await readJson<T>(answer)), answer.headers, answer.status);
}

function changedQuery(
  request: Request,
  values: Readonly<Record<string, number>>,
): Request {
  const address = new URL(request.url);
  for (const [name, value] of Object.entries(values)) address.searchParams.set(name, `${value}`);
  const { headers, signal } = request;
  return new Request(address, { headers, signal });
}
