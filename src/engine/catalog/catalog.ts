// The plant in memory: what requests look up without the database, and the tags of one write.
import type {
  Block,
  Device,
  DeviceModel,
  Encoding,
  Fallback,
  Organization,
  Project,
  Sensor,
  Site,
  Tag,
  TagLane,
} from "../../model/plant/plant.ts";
import type { Horizon, KeepRule } from "../../model/retention/keep.ts";
import type { Source } from "../../model/sources/source.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import type { Place } from "../../model/time/daylight.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import { type Need, needOf } from "../../model/samples/sample.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Database } from "../../store/database.ts";
import { type Plant, readPlant } from "../../store/plant/plant.ts";
import type { Connection } from "../../store/connection.ts";
import {
  findTags,
  insertTags,
  lastTagNo,
  readTags,
  settleEncoding,
} from "../../store/plant/tag.ts";

/** Look-ups over one consistent plant; swapped whole after a site is applied, grown by new tags. */
export class Catalog {
  readonly #database: Database;
  #plant!: Plant;
  #projects = new Map<string, Project>();
  #projects_by_no = new Map<number, Project>();
  #tags: Tag[] = [];
  /** Where in `#tags` the tag of a number stands. */
  #tag_places = new Map<number, number>();
  #tags_by_no = new Map<number, Tag>();
  #tags_by_name = new Map<string, Tag>();
  #sensors_by_tag = new Map<number, Sensor[]>();
  #sensors_by_measure: ReadonlyMap<string, readonly Sensor[]> = new Map();
  #devices = new Map<string, Device>();
  #devices_by_key: ReadonlyMap<string, readonly Device[]> = new Map();
  #sites = new Map<number, Site>();
  #horizons = new Map<number, Horizon>();
  #version = 0;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Reads the plant from the database. */
  static async load(database: Database): Promise<Catalog> {
    const catalog = new Catalog(database);
    await catalog.reload();
    return catalog;
  }

  /** Reads everything again: after a site was applied. */
  async reload(): Promise<void> {
    this.replace(await this.#database.read(readPlant));
  }

  /** Takes `plant` in place of what was known. */
  replace(plant: Plant): void {
    this.#plant = plant;
    this.#projects = new Map(plant.projects.map((project) => [project.id, project]));
    this.#projects_by_no = new Map(plant.projects.map((project) => [project.project_no, project]));
    this.#devices = new Map(plant.devices.map((device) => [device.id, device]));
    this.#devices_by_key = Map.groupBy(plant.devices, (device) => device.key);
    this.#sites = new Map(plant.sites.map((site) => [site.site_no, site]));
    this.#sensors_by_tag = Map.groupBy(plant.sensors, (sensor) => sensor.tag_no);
    this.#sensors_by_measure = Map.groupBy(plant.sensors, (sensor) => sensor.measure);
    this.#horizons = new Map(plant.horizons.map((horizon) => [horizon.tag_no, horizon]));
    this.#tags = [];
    this.#tag_places = new Map();
    this.#tags_by_no = new Map();
    this.#tags_by_name = new Map();
    this.#version++;
    this.putTags(plant.tags);
  }

  /** Adds tags that were just stored, or replaces those of the same number. */
  putTags(tags: readonly Tag[]): void {
    if (tags.length > 0) this.#version++;
    for (const tag of tags) {
      const place = this.#tag_places.get(tag.tag_no) ?? this.#tags.length;
      this.#tag_places.set(tag.tag_no, place);
      this.#tags[place] = tag;
      this.#tags_by_no.set(tag.tag_no, tag);
      this.#tags_by_name.set(nameKey(tag.project_no, tag.lane, tag.sensor_tag), tag);
    }
  }

  /** Takes what is gone of tags, of which something more is. */
  putHorizons(horizons: readonly Horizon[]): void {
    if (horizons.length > 0) this.#version++;
    for (const horizon of horizons) this.#horizons.set(horizon.tag_no, horizon);
  }

  /** Rises with every change: what was computed from the catalog before is then stale. */
  get version(): number {
    return this.#version;
  }

  get organizations(): readonly Organization[] {
    return this.#plant.organizations;
  }

  get projects(): readonly Project[] {
    return this.#plant.projects;
  }

  get sites(): readonly Site[] {
    return this.#plant.sites;
  }

  get blocks(): readonly Block[] {
    return this.#plant.blocks;
  }

  get devices(): readonly Device[] {
    return this.#plant.devices;
  }

  get device_models(): readonly DeviceModel[] {
    return this.#plant.device_models;
  }

  get tags(): readonly Tag[] {
    return this.#tags;
  }

  get sensors(): readonly Sensor[] {
    return this.#plant.sensors;
  }

  get fallbacks(): readonly Fallback[] {
    return this.#plant.fallbacks;
  }

  get keep_rules(): readonly KeepRule[] {
    return this.#plant.keep_rules;
  }

  /** What the service reads by itself. */
  get sources(): readonly Source[] {
    return this.#plant.sources;
  }

  /** What is gone, of the tags of which something is. */
  get horizons(): readonly Horizon[] {
    return [...this.#horizons.values()];
  }

  /** What of a tag is gone, if anything is. */
  horizon(tag_no: number): Horizon | undefined {
    return this.#horizons.get(tag_no);
  }

  project(id: string): Project | undefined {
    return this.#projects.get(id);
  }

  projectByNo(project_no: number): Project | undefined {
    return this.#projects_by_no.get(project_no);
  }

  site(site_no: number): Site | undefined {
    return this.#sites.get(site_no);
  }

  /** Where the site of a number lies, and its wall clock. */
  placeOf(site_no: number): Place {
    const { latitude, longitude, project_no } = this.#sites.get(site_no)!;
    const { timezone } = this.#projects_by_no.get(project_no)!;
    return { latitude, longitude, timezone };
  }

  device(id: string): Device | undefined {
    return this.#devices.get(id);
  }

  /** The device of a project that an id, or else a source's key, names. */
  deviceNamed({ project_no }: Pick<Project, "project_no">, word: string): Device | undefined {
    const by_id = this.#devices.get(word);
    return [...(by_id ? [by_id] : []), ...(this.#devices_by_key.get(word) ?? [])]
      .find(({ site_no }) => this.#sites.get(site_no)?.project_no === project_no);
  }

  tag(tag_no: number): Tag | undefined {
    return this.#tags_by_no.get(tag_no);
  }

  /** The tag that a source's name means, or undefined when it was never seen. */
  findTag(project_no: number, lane: TagLane, sensor_tag: string): Tag | undefined {
    return this.#tags_by_name.get(nameKey(project_no, lane, sensor_tag));
  }

  /** The sensors of a measure, in the order of all. */
  sensorsOfMeasure(measure: string): readonly Sensor[] {
    return this.#sensors_by_measure.get(measure) ?? [];
  }

  /** The sensors that read a tag; empty for an unmapped one. */
  sensorsOfTag(tag_no: number): readonly Sensor[] {
    return this.#sensors_by_tag.get(tag_no) ?? [];
  }
}

/** A day in microseconds. */
export const day_us = 86_400_000_000;

/**
 * Before which instant nothing of a tag changes any more, in microseconds: what it would be
 * computed from is gone, or about to go.
 */
function sealedUntil(horizon: Horizon | undefined): number {
  const gone = sealing.reduce((last, kept) => Math.max(last, horizon?.[kept] ?? 0), 0);
  return gone === 0 ? -Infinity : (gone + retention_limits.seal_days) * day_us;
}

/** What figures are computed from, or what they are. */
const sealing = ["samples", "minutes", "quarters"] as const;

/** A tag as a write sees it: its encoding may be fixed by the write's own rows. */
export type Entry = {
  readonly tag: Tag;
  /** What its sensors ask of its values. */
  readonly need: Need;
  encoding: Encoding | null;
  /** Samples, and forecasts, from before these instants are refused. */
  readonly closed_us: number;
  readonly forecasts_closed_us: number;
  /** Whether the write stores rows of it; a new tag without any is not stored. */
  used: boolean;
};

/** What values a tag takes. */
export function wantedOf(catalog: Catalog, tag: Tag): Pick<Entry, "need" | "encoding"> {
  const mapped = catalog.findTag(tag.project_no, "signal", tag.sensor_tag);
  const need = needOf(mapped ? catalog.sensorsOfTag(mapped.tag_no) : []);
  // A text that came before the tag was mapped decides nothing of the numbers after it.
  const encoding = tag.encoding === "string" && need.measure !== null ? null : tag.encoding;
  return { need, encoding };
}

/**
 * One for each write. `find` the names of each batch before its rows are read, `store` new tags
 * and encodings within the transaction, and put the result into the catalog after the commit.
 */
export class TagResolver {
  readonly #catalog: Catalog;
  readonly #connection: Connection;
  readonly #entries = new Map<string, Entry>();
  readonly #new_numbers = new Set<number>();
  #last_no: number | undefined;

  constructor(catalog: Catalog, connection: Connection) {
    this.#catalog = catalog;
    this.#connection = connection;
  }

  /** An entry for each of `names`, in order; undefined where the project can't take more tags. */
  async find(
    project: Project,
    lane: TagLane,
    names: readonly string[],
  ): Promise<readonly (Entry | undefined)[]> {
    const unknown = names.filter((name) => this.#known(project, lane, name) === undefined);
    if (unknown.length > 0) await this.#addNew(project, lane, unknown);
    return names.map((name) => this.#known(project, lane, name));
  }

  /** Whether the tag is new in this write: then nothing of it is stored yet. */
  isNew(tag_no: number): boolean {
    return this.#new_numbers.has(tag_no);
  }

  /** Stores new tags and encodings. The tags that changed, as they are stored now. */
  async store(): Promise<{ readonly changed: readonly Tag[]; readonly begun: readonly number[] }> {
    const used = [...this.#entries.values()].filter((entry) => entry.used);
    const begun = used.filter(({ tag }) => this.#new_numbers.has(tag.tag_no));
    const by_place = Map.groupBy(begun, ({ tag }) => `${tag.project_no} ${tag.lane}`);
    for (const entries of by_place.values()) {
      const tags = entries.map(({ tag, encoding }) => ({ ...tag, encoding }));
      await insertTags(this.#connection, tags);
    }
    const settled = used.filter(({ tag, encoding }) =>
      tag.encoding !== encoding && !this.#new_numbers.has(tag.tag_no)
    );
    for (const encoding of ["float", "integer", "string"] as const) {
      const tag_nos = numbersOf(settled.filter((entry) => entry.encoding === encoding));
      if (tag_nos.length > 0) await settleEncoding(this.#connection, { encoding, tag_nos });
    }
    const touched = used.filter(({ tag }) => this.#catalog.tag(tag.tag_no) === undefined);
    const tag_nos = numbersOf([...touched, ...settled]);
    const changed = tag_nos.length === 0 ? [] : await readTags(this.#connection, tag_nos);
    return { changed, begun: numbersOf(begun) };
  }

  #known(project: Project, lane: TagLane, name: string): Entry | undefined {
    const key = `${project.project_no}\n${lane}\n${name}`;
    const entry = this.#entries.get(key);
    if (entry !== undefined) return entry;
    const tag = this.#catalog.findTag(project.project_no, lane, name);
    return tag && this.#enter(tag);
  }

  #enter(tag: Tag): Entry {
    const { need, encoding } = wantedOf(this.#catalog, tag);
    const horizon = this.#catalog.horizon(tag.tag_no);
    const closed_us = sealedUntil(horizon);
    const forecasts_closed_us = (horizon?.forecasts ?? 0) * day_us;
    const entry = { tag, need, encoding, closed_us, forecasts_closed_us, used: false };
    this.#entries.set(`${tag.project_no}\n${tag.lane}\n${tag.sensor_tag}`, entry);
    return entry;
  }

  /** Enters names that the catalog lacks: it may lag behind the database, where all else is new. */
  async #addNew(project: Project, lane: TagLane, names: readonly string[]): Promise<void> {
    const { project_no } = project;
    const stored = await findTags(this.#connection, { project_no, lane, names });
    const found = new Set(stored.map((tag) => this.#enter(tag).tag.sensor_tag));
    const fresh = names.filter((name) => !found.has(name));
    if (fresh.length === 0) return;
    this.#last_no ??= await lastTagNo(this.#connection);
    let room = sample_limits.tags_per_project - this.#count(project_no);
    for (const sensor_tag of fresh) {
      if (room-- <= 0) return;
      const tag_no = ++this.#last_no;
      this.#new_numbers.add(tag_no);
      this.#enter(newTag({ tag_no, project_no, lane, sensor_tag }));
    }
  }

  #count(project_no: number): number {
    const known = this.#catalog.tags.filter((tag) => tag.project_no === project_no).length;
    const fresh = [...this.#entries.values()].filter(({ tag }) =>
      tag.project_no === project_no && this.#new_numbers.has(tag.tag_no)
    );
    return known + fresh.length;
  }
}

function nameKey(project_no: number, lane: TagLane, sensor_tag: string): string {
  return `${project_no}\n${lane}\n${sensor_tag}`;
}

function newTag(
  key: Pick<Tag, "tag_no" | "project_no" | "lane" | "sensor_tag">,
): Tag {
  const model = key.lane === "model";
  return {
    ...key,
    tag_class: null,
    encoding: model ? "float" : null,
    unit: null,
    carry_s: model ? rollup_limits.model_carry_s : rollup_limits.carry_s,
    device_key: null,
    device_name: null,
    declared: false,
    derived: null,
  };
}

function numbersOf(entries: readonly Entry[]): readonly number[] {
  return entries.map(({ tag }) => tag.tag_no);
}
