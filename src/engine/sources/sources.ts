// Reads every declared source by itself: begins, ends and looks after them, and sends their states.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { inTime } from "../../base/in_time.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { sent_fields, type SentState, type SnapshotRow } from "../../model/alarms/row.ts";
import { condition_kind, type ConditionAlarm } from "../../model/sources/condition.ts";
import type { CommandEnd } from "../../model/setpoints/setpoint.ts";
import { parseSource } from "../../model/sources/form.ts";
import type { SourceKind } from "../../model/sources/kind.ts";
import type { EntryOf, SourceEntry } from "../../model/sources/kinds.ts";
import type { Settings } from "../../model/setting.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { type Source, source_error_kinds } from "../../model/sources/source.ts";
import type { SourceFacts } from "../../model/upstream/trial.ts";
import { listStanding } from "../../store/alarms/standing.ts";
import type { Database } from "../../store/database.ts";
import type { AlarmIngest } from "../alarms/ingest.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Follow } from "../rules/follow.ts";
import type { LatestValue } from "../samples/latest.ts";
import {
  type Driver,
  keepRunning,
  type LastValue,
  type Link,
  type SetpointCommand,
  type SourceAlarms,
  type SourceTools,
} from "../devices/driver.ts";
import { type SourceReach, sourceReachOf } from "../devices/reach.ts";
import { unsent } from "../devices/command.ts";
import { Gather, SourceState } from "../devices/state.ts";
import { readSecret } from "./secret.ts";

const log = getLogger(["wattkeeper", "sources"]);

/**
 * The driver of every kind of source; each is loaded when the first source of its kind is read. One
 * that is missing fails the type check.
 */
const drivers: { readonly [K in SourceKind]: () => Promise<Driver<EntryOf<K>>> } = {
  modbus: async () => (await import("../devices/modbus.ts")).modbus_driver,
  mqtt: async () => (await import("../devices/mqtt.ts")).mqtt_driver,
  sparkplug: async () => (await import("../devices/sparkplug.ts")).sparkplug_driver,
  opcua: async () => (await import("../opcua/opcua.ts")).opcua_driver,
  iec104: async () => (await import("../devices/iec104.ts")).iec104_driver,
};

/** What sources are read with. */
type SourceParts = AlarmsParts & {
  readonly ingest: Ingest;
  readonly catalog: Catalog;
  /** The folder of certificates that are trusted, and of the own one. */
  readonly certificates: string;
  /** The folder of files with secrets, in which each organization has its own. */
  readonly secrets: string;
  readonly settings: Pick<Settings, "source_allow">;
  readonly effects: Pick<
    Effects,
    "now_us" | "monotonic_ms" | "sleep" | "random" | "connect" | "resolve" | "addresses" | "owns"
  >;
};

/** A source that is being read. */
type Running = {
  readonly source: Source;
  readonly entry: SourceEntry;
  readonly project_no: number;
  readonly state: SourceState;
  readonly links: readonly Link[];
  readonly stop: AbortController;
  readonly done: Promise<void>;
  /** What was sent of its state last. */
  sent: ReadonlyMap<string, number>;
};

/** The sources that are read. Nothing runs before its loop does. */
export class Sources {
  readonly #parts: SourceParts;
  readonly #gather: Gather;
  readonly #reach: SourceReach;
  readonly #running = new Map<string, Running>();
  readonly #stop = new AbortController();
  /** Stores what comes; begun with the first source. */
  #storing: Promise<void> | undefined;
  #wanted: readonly Source[];
  #minute = NaN;
  /** Lets sources be as they are declared, and sends their states each minute and on change. */
  readonly loop: Loop;

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.#wanted = parts.catalog.sources;
    this.#gather = new Gather(parts);
    this.#reach = sourceReachOf(parts.effects, parts.settings);
    this.loop = new Loop({
      name: "looking after sources",
      effects: parts.effects,
      retry_ms: limits.loop_retry_ms,
      turn: () => this.#turn(),
    });
  }

  /** What else goes with a change of the plant, and then the sources. */
  following(follow: Follow): Follow {
    return async (write, plant) => {
      const followed = await follow(write, plant);
      return async () => {
        const is_new = plant.sources.length > 0 || this.#wanted.length > 0;
        this.#wanted = plant.sources;
        if (is_new) this.loop.wake();
        await followed();
      };
    };
  }

  /** How a source does; undefined where it is not read. */
  stateOf({ id }: Pick<Source, "id">): SourceState | undefined {
    return this.#running.get(id)?.state;
  }

  /** Sends a value to a setpoint of a source that is read here; says how that ended. */
  async send({ id, definition }: Source, command: SetpointCommand): Promise<CommandEnd> {
    const running = this.#running.get(id);
    if (running?.source.definition !== definition) {
      return unsent("the source is not read by this service, or not yet as it is declared now");
    }
    for (const link of running.links) {
      const ended = link.send?.(command);
      if (ended !== undefined) return await ended;
    }
    return unsent("the source has no such setpoint now");
  }

  /** How the sources of a site do that are read as they are declared now. */
  factsOf(site_no: number): readonly SourceFacts[] {
    return this.#wanted.flatMap(({ id, key, definition, site_no: own_no }) => {
      const running = own_no === site_no ? this.#running.get(id) : undefined;
      if (running?.source.definition !== definition) return [];
      const { devices, last_value_us, last_error } = running.state;
      return [{
        ...{ key, definition, delivers: last_value_us !== null },
        devices: devices.map(({ name, connected }) => ({ name, connected })),
        last_error: last_error?.message ?? null,
      }];
    });
  }

  /** Whether each source of a site is read as it is declared now, with all of its devices. */
  isRead(site_no: number): boolean {
    return this.#wanted.every(({ id, definition, site_no: own_no }) => {
      if (own_no !== site_no || !parseSource(definition).enabled) return true;
      const running = this.#running.get(id);
      return running?.source.definition === definition && running.state.connected === true;
    });
  }

  /** How many devices answer and do not, and what went wrong since each source was begun. */
  get totals(): Readonly<Record<string, number>> {
    const states = Array.from(this.#running.values(), ({ state }) => state);
    const devices = states.flatMap((it) => it.devices);
    const errors = source_error_kinds.map((kind) => [
      kind,
      states.reduce((sum, { errors }) => sum + errors[kind], 0),
    ]);
    return {
      devices_connected: devices.filter(({ connected }) => connected).length,
      devices_lost: devices.filter(({ connected }) => connected === false).length,
      held_rows: this.#gather.held,
      ...Object.fromEntries(errors),
    };
  }

  /** Ends all of them, and stores what they have read. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#running.values(), (it) => this.#end(it)));
    this.#stop.abort();
    await this.#storing;
  }

  async #turn(): Promise<number> {
    await this.#adopt();
    if (this.#running.size === 0) return Infinity;
    const { effects } = this.#parts;
    const now_us = effects.now_us();
    const minute = Math.floor(now_us / 1000 / source_limits.state_ms);
    const is_due = minute !== this.#minute;
    this.#minute = minute;
    for (const running of this.#running.values()) await this.#tell(running, is_due);
    return (minute + 1) * source_limits.state_ms - effects.now_us() / 1000;
  }

  /** Ends sources that changed or are gone, and begins those that are new. */
  async #adopt(): Promise<void> {
    const wanted = new Map(
      this.#wanted.map((source) => [source.id, source] as const)
        .filter(([, { definition }]) => parseSource(definition).enabled),
    );
    const gone = [...this.#running.values()].filter(({ source }) =>
      wanted.get(source.id)?.definition !== source.definition
    );
    await Promise.all(gone.map((it) => this.#end(it)));
    for (const source of wanted.values()) {
      if (!this.#running.has(source.id)) this.#running.set(source.id, this.#begin(source));
    }
  }

  async #end({ source, stop, done }: Running): Promise<void> {
    stop.abort();
    await inTime(done, { wait_ms: source_limits.stop_ms, effects: this.#parts.effects });
    this.#running.delete(source.id);
  }

  #begin(source: Source): Running {
    this.#storing ??= this.#gather.run(this.#stop.signal);
    const { effects, catalog } = this.#parts;
    const entry = parseSource(source.definition);
    const { project_no } = catalog.site(source.site_no)!;
    const state = new SourceState({ now_us: effects.now_us, changed: () => this.loop.wake() });
    const stop = new AbortController();
    const tools: SourceTools = {
      ...{ effects: { ...effects, connect: this.#reach.connect }, state, vet: this.#reach.vet },
      emit: (rows) => this.#gather.add(project_no, rows, state),
      store: (rows) => this.#gather.store({ project_no, state, signal: stop.signal }, rows),
      newest: (tag) => this.#newest(project_no, tag),
      lastValues: (tags, from_us) => this.#lastValues(project_no, { tags, from_us }),
      alarms: new AlarmsOfSource(this.#parts, { source, signal: stop.signal, state }),
      certificates: this.#parts.certificates,
      secret: (name) => this.#secret(project_no, name),
    };
    const links: Link[] = [];
    const done = read(entry, { tools, links, signal: stop.signal }).catch((error) => {
      const message = error instanceof Error ? error.message : String(error);
      log.error("the source {key} can't be read: {message}", { key: source.key, message });
      state.count({ kind: "protocol", message });
    });
    return { source, entry, project_no, state, links, stop, done, sent: new Map() };
  }

  async #newest(project_no: number, name: string): Promise<LatestValue | undefined> {
    const { ingest: { latest }, catalog } = this.#parts;
    await latest.load();
    const tag = catalog.findTag(project_no, "signal", name);
    return tag && latest.of(tag.tag_no);
  }

  async #lastValues(
    project_no: number,
    { tags, from_us }: { readonly tags: readonly string[]; readonly from_us: number },
  ): Promise<ReadonlyMap<string, LastValue>> {
    const { ingest: { latest }, catalog } = this.#parts;
    const names = new Map(tags.flatMap((name) => {
      const tag = catalog.findTag(project_no, "signal", name);
      return tag === undefined ? [] : [[tag.tag_no, name] as const];
    }));
    const found = await latest.withValues(Int32Array.from(names.keys()), from_us);
    return new Map(found.map(({ tag_no, ...last }) => [names.get(tag_no)!, last]));
  }

  async #secret(project_no: number, name: string): Promise<string> {
    const { catalog, secrets } = this.#parts;
    const { organization_id } = catalog.projectByNo(project_no)!;
    const { key } = catalog.organizations.find(({ id }) => id === organization_id)!;
    return await readSecret(`${secrets}/${key}/${name}`);
  }

  /** Sends a source's state: all of it when it is due, else what changed but for its age. */
  async #tell(running: Running, is_due: boolean): Promise<void> {
    const { state, source: { key }, project_no, sent } = running;
    const values = state.values();
    const ts_us = this.#parts.effects.now_us();
    const changed = [...values].filter(([name, value]) =>
      is_due || (name === "connected" && sent.get(name) !== value)
    );
    if (values.get("connected") !== sent.get("connected")) tellOf(key, state);
    running.sent = values;
    const rows = changed.map(([name, value]) => ({ tag: `${key}.${name}`, ts_us, value }));
    await this.#gather.add(project_no, rows, own_state);
  }
}

/** Logs that a source is read, or is not any more, and why. */
function tellOf(key: string, { connected, devices, last_error }: SourceState): void {
  if (connected) return log.info("the source {key} is read", { key });
  const lost = devices.filter((it) => it.connected === false);
  const [{ name, last_error: own } = { name: "", last_error: null }] = lost;
  log.warning("the source {key} has lost {count} of {all} devices, such as {name}: {why}", {
    ...{ key, name, count: lost.length, all: devices.length },
    why: own ?? last_error?.message ?? "",
  });
}

/** Nobody asks how the samples of states do. */
const own_state = new SourceState({ now_us: () => 0, changed: () => {} });

/** Reads a source until `signal` aborts; each of its `links` by itself, which are told here. */
async function read(
  entry: SourceEntry,
  { tools, links, signal }: {
    readonly tools: SourceTools;
    readonly links: Link[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const driver: Driver<SourceEntry> = await drivers[entry.kind]();
  links.push(...driver.open(entry, tools));
  await Promise.all(links.map((link) => keepRunning(link, tools, signal)));
}

/** What alarms of sources are stored with. */
type AlarmsParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly alarm_ingest: AlarmIngest;
  readonly effects: Pick<Effects, "sleep">;
};

/** Whose alarms they are, and what ends their storing. */
type AlarmsFor = {
  readonly source: Source;
  readonly state: SourceState;
  readonly signal: AbortSignal;
};

/** The alarms of one source. */
export class AlarmsOfSource implements SourceAlarms {
  readonly #parts: AlarmsParts;
  readonly #for: AlarmsFor;

  constructor(parts: AlarmsParts, own: AlarmsFor) {
    this.#parts = parts;
    this.#for = own;
  }

  get site(): string {
    return this.#site.key;
  }

  async standing(): Promise<readonly ConditionAlarm[]> {
    const { project_no, site_no } = this.#site;
    const found = await this.#parts.database.read((connection) =>
      listStanding(connection, {
        ...{ project_no, site_no, source: this.#for.source.key, kind: condition_kind },
        limit: source_limits.conditions,
      })
    );
    return found.map((occurrence) => {
      const state = Object.fromEntries(sent_fields.map((name) => [name, occurrence[name]]));
      const updated_at = occurrence.sent_at ?? occurrence.updated_at;
      return {
        occurrence_id: occurrence.occurrence_id,
        state: { ...state as SentState, updated_at },
      };
    });
  }

  /** While the database takes none they are tried again, as samples are. */
  async store(rows: readonly SnapshotRow[]): Promise<void> {
    const { effects } = this.#parts;
    const { signal } = this.#for;
    for (let held = false; !await this.#store(rows, held); held = true) {
      signal.throwIfAborted();
      await effects.sleep(source_limits.store_retry_ms, signal);
    }
  }

  /** Says whether they are on disk, or never will be. */
  async #store(rows: readonly SnapshotRow[], held: boolean): Promise<boolean> {
    const { catalog, alarm_ingest } = this.#parts;
    const { state } = this.#for;
    const project = catalog.projectByNo(this.#site.project_no)!;
    try {
      const numbered = rows.map((row, line) => ({ ...row, line }));
      const { rejected } = await alarm_ingest.add(project, {
        ...{ rows: numbered, rejected: [], rejected_count: 0 },
      });
      for (const { line, reason } of rejected) {
        state.rejected({ tag: rows[line].state.source_tag, reason });
      }
      return true;
    } catch (error) {
      if (error instanceof Fault && error.code !== "unavailable") {
        for (const { state: { source_tag } } of rows) {
          state.rejected({ tag: source_tag, reason: error.message });
        }
        return true;
      }
      if (!held) log.warning("alarms of sources are held: {error}", { error });
      return false;
    }
  }

  get #site() {
    return this.#parts.catalog.site(this.#for.source.site_no)!;
  }
}
