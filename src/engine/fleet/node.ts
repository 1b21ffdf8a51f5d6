// A node of a fleet: keeps its leases, runs the shards that it holds, knows where the others are.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { newId } from "../../base/id.ts";
import { decide, isFree, seen, type Sight } from "../../model/fleet/decide.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import { canOpen, home_shard, type Notice } from "../../model/fleet/shard.ts";
import type { Settings } from "../../model/setting.ts";
import type { Beat, FleetCatalog, Holder, Seen } from "../../store/fleet/fleet_catalog.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import { Directory } from "./directory.ts";
import { Holding } from "./holding.ts";
import { StandIns, type StandInTurn } from "./stand_ins.ts";
import { inKillTime, Starter } from "./starter.ts";

type Parts = {
  readonly settings: Settings;
  readonly effects: Effects;
  readonly log: Log;
  readonly version: string;
  /** The latest version of data that it can open. */
  readonly data_version: number;
  readonly catalog: FleetCatalog;
  /** Where the other nodes reach this one. */
  readonly address: string;
  /** The id of the fleet. */
  readonly fleet: string;
};

/** The way of a request to a shard. */
export type ShardWay =
  | { readonly kind: "here"; readonly holding: Holding; readonly port: number }
  | ({ readonly kind: "there"; readonly address: string } & Watched)
  /** It is on its way to a node: who waits will find it. */
  | { readonly kind: "coming" };

/** Who asks another node: `gone` aborts when that is away, `end` asks no more. */
type Watched = { readonly gone: AbortSignal; readonly end: () => void };

/** Who waits for a node's answer. */
type Watch = { readonly node: string; readonly gone: AbortController };

/**
 * One process of the fleet. What it says of a shard holds for as long as the lease is certain: the
 * shard's process and the front look at it once more before an answer leaves.
 */
export class FleetNode {
  readonly loop: Loop;
  readonly directory = new Directory();
  readonly stand_ins: StandIns;
  readonly #parts: Parts;
  readonly #me: Holder;
  readonly #held = new Map<number, Holding>();
  /** When a shard may be taken again that was given back: until then others are first. */
  readonly #avoided = new Map<number, number>();
  /** Shards whose data are of a later version than it can open, as the log was told. */
  #beyond = "";
  /** Whether another process has its name, as the log was told. */
  #is_waiting = false;
  readonly #starter: Starter;
  readonly #untold = new Map<number, Notice>();
  readonly #watches = new Set<Watch>();
  #sights: ReadonlyMap<number, Sight> = new Map();
  #view: Beat | undefined;
  #viewed_ms = -Infinity;
  #turned = Promise.withResolvers<void>();
  #is_closing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#me = { name: parts.settings.fleet_node, run: newId(parts.effects) };
    this.stand_ins = new StandIns(parts);
    this.#starter = new Starter(parts, {
      onTold: ({ no }, told) => {
        this.#untold.set(no, told);
        this.loop.wake();
      },
      onChange: () => {
        this.loop.wake();
        this.#ring();
      },
    });
    this.loop = new Loop({
      name: "keeping leases",
      effects: parts.effects,
      retry_ms: fleet_limits.beat_ms / 4,
      turn: () => this.#turn(),
    });
  }

  get name(): string {
    return this.#me.name;
  }

  /** Joins the fleet, before its loop runs. Throws a `Fault` (conflict) where it may not. */
  async join(): Promise<void> {
    const { catalog, address, version, data_version } = this.#parts;
    const strangers = await catalog.join({ ...this.#me, address, version, data_version });
    if (strangers.length === 0) return;
    const what = `fleet_secret is not that of the nodes that run (${strangers.join(", ")})`;
    const help = "give all nodes the same; to change it, stop all of them first";
    throw new Fault("conflict", `${what}: ${help}`);
  }

  /** How many shards it holds. */
  get held_count(): number {
    return this.#held.size;
  }

  /** The shards whose processes answer here, in order. */
  get held(): readonly number[] {
    const answering = [...this.#held.values()].filter((it) => it.port !== undefined && it.is_kept);
    return answering.map(numberOf).toSorted((a, b) => a - b);
  }

  /** Whether it knows how the fleet is. */
  get is_current(): boolean {
    const { effects } = this.#parts;
    return effects.monotonic_ms() - this.#viewed_ms < fleet_limits.lease_ms;
  }

  /** The time by the catalogue's clock, which goes on from what was heard last; NaN before that. */
  get catalogue_ms(): number {
    const since_ms = this.#parts.effects.monotonic_ms() - this.#viewed_ms;
    return (this.#view?.now_ms ?? NaN) + since_ms;
  }

  /** Every shard as it was seen last. */
  get shards(): readonly Seen[] {
    return this.#view?.shards ?? [];
  }

  wayTo(no: number): ShardWay {
    const holding = this.#held.get(no);
    if (holding && !holding.is_leaving) {
      if (holding.port === undefined || holding.left_ms <= 0) return { kind: "coming" };
      return { kind: "here", holding, port: holding.port };
    }
    const row = this.shards.find((it) => it.no === no);
    const node = this.#view?.nodes.find(({ name }) => name === row?.node);
    if (!row?.is_held || !node || node.name === this.name || !this.is_current) {
      return { kind: "coming" };
    }
    return { kind: "there", address: node.address, ...this.#watch(node.name) };
  }

  /** Whether a shard is at no node that is known to let it run. */
  isAway(no: number): boolean {
    const way = this.wayTo(no);
    if (way.kind === "there") way.end();
    const is_down = this.shards.some((it) => it.no === no && it.why !== null);
    return way.kind === "coming" || way.kind === "there" && is_down;
  }

  /** Begins a question to who answers in the place of a shard; undefined where nobody can. */
  async standIn(no: number): Promise<StandInTurn | undefined> {
    const told = this.directory.toldTo(no);
    // What ended since may be unknown to who does not look.
    const is_able = no !== home_shard && this.is_current && !this.#is_closing;
    if (told === undefined || !is_able) return undefined;
    return await this.stand_ins.begin(no, { told, share: this.#share });
  }

  /** Waits until something may have changed. */
  async changed(wait_ms: number): Promise<void> {
    await inTime(this.#turned.promise, { wait_ms, effects: this.#parts.effects });
  }

  /** Looks how the fleet is, now. */
  async refresh(): Promise<void> {
    this.loop.wake();
    await this.changed(fleet_limits.answer_ms);
  }

  /** The same for who asks for what is not known, as often as anybody likes: now and then. */
  async lookAgain(): Promise<void> {
    const due_ms = this.#viewed_ms + fleet_limits.look_again_ms;
    await this.changed(Math.max(0, due_ms - this.#parts.effects.monotonic_ms()));
    if (this.#viewed_ms + fleet_limits.look_again_ms === due_ms) await this.refresh();
  }

  /** Gives everything back and leaves the fleet; its loop still runs. */
  async close(): Promise<void> {
    const { catalog, log } = this.#parts;
    this.#is_closing = true;
    await this.stand_ins.close();
    await Promise.all(Array.from(this.#held.values(), (it) => this.#giveBack(it)));
    await catalog.leave(this.#me).catch((error) =>
      log.warning("the fleet does not know that this node has left: {error}", { error })
    );
  }

  async #turn(): Promise<number> {
    const { catalog, effects, address, version, data_version } = this.#parts;
    const asked_ms = effects.monotonic_ms();
    const { known } = this.directory;
    const beat = await catalog.beat({ ...this.#me, address, version, data_version, known });
    const came_ms = effects.monotonic_ms();
    // Who did not look for a while has seen nothing of what others did meanwhile.
    if (came_ms - this.#viewed_ms > fleet_limits.lease_ms / 2) this.#sights = new Map();
    const marks = new Map(beat.shards.map(({ no, mark }) => [no, mark]));
    this.#sights = seen(this.#sights, { marks, came_ms });
    [this.#view, this.#viewed_ms] = [beat, came_ms];
    this.directory.put(beat.news);
    this.directory.end(beat.ended);
    this.#tellNamed(beat);
    this.#renew(beat, asked_ms);
    await this.#disown(beat);
    if (beat.is_named) await this.#act(beat);
    await this.#tellAll();
    this.stand_ins.look((no) => this.directory.toldTo(no));
    this.#endWatches(beat);
    this.#ring();
    const now_ms = effects.monotonic_ms();
    const due_ms = Array.from(this.#held.values(), (it) => it.failing?.again_ms ?? -Infinity)
      .filter((again_ms) => again_ms > now_ms);
    return Math.max(0, Math.min(fleet_limits.beat_ms + asked_ms, ...due_ms) - now_ms);
  }

  /** Holds on to what is its own, and lets go at once of what is not. */
  #renew({ mine }: Beat, asked_ms: number): void {
    const epochs = new Map(mine.map(({ no, epoch }) => [no, epoch]));
    for (const holding of this.#held.values()) {
      if (epochs.get(holding.no) === holding.epoch) holding.renew(asked_ms);
      else this.#lose(holding);
    }
  }

  /** Gives back what it took without knowing it, as the answer was lost: nothing of it runs. */
  async #disown({ mine }: Beat): Promise<void> {
    const strays = mine.filter(({ no }) => !this.#held.has(no));
    if (strays.length > 0) await this.#parts.catalog.release(strays, { is_shut: false });
  }

  #lose(holding: Holding): void {
    this.#parts.log.warning("shard {no} is another node's now", { no: holding.no });
    holding.is_lost = true;
    this.#forget(holding);
    void holding.process?.kill();
  }

  async #act({ shards, nodes }: Beat): Promise<void> {
    const { settings, effects, catalog } = this.#parts;
    const now_ms = effects.monotonic_ms();
    const { take, give } = this.#is_closing ? { take: [], give: [] } : decide({
      ...{ me: this.name, nodes, is_shared: settings.fleet_fence !== "none" },
      mine: new Set(Array.from(this.#held.values()).filter((it) => !it.is_leaving).map(numberOf)),
      shards: shards.map((row) => ({ ...row, is_free: this.#isFree(row, now_ms) })),
    });
    if (take.length > 0) {
      const asked_ms = effects.monotonic_ms();
      const taken = await catalog.take(this.#me, shards.filter(({ no }) => take.includes(no)));
      // What comes while the node leaves is given back with the next turn.
      for (const it of this.#is_closing ? [] : taken) {
        this.#held.set(it.no, new Holding(it, { asked_ms, effects }));
      }
    }
    for (const no of give) {
      const holding = this.#held.get(no)!;
      if (this.#starter.isOpening(holding)) continue;
      const is_moved = shards.some((it) => it.no === no && it.wanted !== null);
      void (is_moved ? this.#giveBack(holding) : this.#giveAway(holding));
    }
    for (const row of shards) {
      const holding = this.#held.get(row.no);
      if (!holding || !row.is_used || holding.is_leaving) continue;
      const told = this.directory.toldTo(row.no);
      if (told) this.#starter.serve(holding, { row, told, share: this.#share });
    }
    this.#tellBeyond(shards);
  }

  /** Says, each time that it changes, whether another has its name. */
  #tellNamed({ is_named }: Beat): void {
    const { log } = this.#parts;
    const { name } = this;
    if (!is_named && !this.#is_waiting) {
      log.warning(
        "another process is the node {name}: this one waits until that has ended. Where both are " +
          "to run, give one another fleet_node",
        { name },
      );
    } else if (is_named && this.#is_waiting) log.info("this is the node {name} now", { name });
    this.#is_waiting = !is_named;
  }

  /** Says, each time that it changes, which shards are for newer nodes alone. */
  #tellBeyond(shards: readonly Seen[]): void {
    const { log, data_version } = this.#parts;
    const beyond = shards.filter((it) => !canOpen({ data_version }, it));
    const said = beyond.map(({ no, data_version }) => `${no} (${data_version})`).join(", ");
    if (said !== this.#beyond && said !== "") {
      log.warning(
        "a newer program has opened shards {said}: this node opens data up to version " +
          "{data_version}, and takes none of these. Install the newer program here, too",
        { said, data_version },
      );
    }
    this.#beyond = said;
  }

  /** How many shards share the memory of a node. */
  get #share(): number {
    const used = this.shards.filter(({ is_used }) => is_used).length;
    const nodes = this.#view?.nodes.filter(({ is_live }) => is_live).length ?? 1;
    return Math.max(1, Math.ceil(used / nodes));
  }

  #isFree(row: Seen, now_ms: number): boolean {
    if (now_ms < (this.#avoided.get(row.no) ?? -Infinity)) return false;
    return isFree(row, { sight: this.#sights.get(row.no), now_ms });
  }

  /** Lets another take a shard: this node sees first that it is free, and would have it again. */
  async #giveAway(holding: Holding): Promise<void> {
    this.#avoided.set(holding.no, Infinity);
    await this.#giveBack(holding);
    const again_ms = this.#parts.effects.monotonic_ms() + fleet_limits.again_ms;
    this.#avoided.set(holding.no, again_ms);
  }

  /** Lets what runs end, then gives the shard back: nothing acknowledged is left behind. */
  async #giveBack(holding: Holding): Promise<void> {
    const { catalog, effects, log } = this.#parts;
    if (holding.is_leaving) return;
    await holding.leave();
    const { process } = holding;
    // Where none of it ends it, whoever takes the shard fences this node first.
    const is_stopped = process === undefined || await inKillTime(process.stop(), this.#parts);
    if (!is_stopped) holding.has_hung = true;
    const is_over = is_stopped || await inKillTime(process.kill(), this.#parts);
    const is_shut = is_over && holding.is_shut;
    while (!holding.is_lost) {
      try {
        await catalog.release([holding], { is_shut });
        break;
      } catch (error) {
        log.warning("shard {no} can't be given back yet: {error}", { no: holding.no, error });
        if (this.#is_closing) break;
        await effects.sleep(fleet_limits.beat_ms);
      }
    }
    this.#forget(holding);
    await this.refresh();
  }

  #forget(holding: Holding): void {
    if (this.#held.get(holding.no) === holding) this.#held.delete(holding.no);
    this.#untold.delete(holding.no);
  }

  /** Keeps what its shards said; what can't be kept now is said again with the next turn. */
  async #tellAll(): Promise<void> {
    for (const [no, told] of this.#untold) {
      const holding = this.#held.get(no);
      if (holding) await this.#parts.catalog.tell(holding, told);
      if (this.#untold.get(no) === told) this.#untold.delete(no);
      this.loop.wake();
    }
  }

  #watch(node: string): Watched {
    const watch = { node, gone: new AbortController() };
    this.#watches.add(watch);
    return { gone: watch.gone.signal, end: () => this.#watches.delete(watch) };
  }

  /** Ends the waiting for nodes that are away; one that gave a shard away still passes on. */
  #endWatches({ nodes }: Beat): void {
    for (const watch of this.#watches) {
      if (nodes.some(({ name, is_live }) => is_live && name === watch.node)) continue;
      watch.gone.abort();
      this.#watches.delete(watch);
    }
  }

  #ring(): void {
    this.#turned.resolve();
    this.#turned = Promise.withResolvers();
  }
}

const numberOf = ({ no }: Holding) => no;
