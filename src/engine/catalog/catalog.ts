// The plant in memory: what every request looks up without touching the database.
import type {
  Block,
  Device,
  DeviceModel,
  Organization,
  Project,
  Sensor,
  Site,
  Tag,
  TagLane,
} from "../../model/plant/plant.ts";
import type { Place } from "../../model/time/daylight.ts";
import type { Database } from "../../store/database.ts";
import { type Plant, readPlant } from "../../store/plant/plant.ts";

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
  #devices = new Map<string, Device>();
  #sites = new Map<number, Site>();
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
    this.#sites = new Map(plant.sites.map((site) => [site.site_no, site]));
    this.#sensors_by_tag = Map.groupBy(plant.sensors, (sensor) => sensor.tag_no);
    this.#tags = [];
    this.#tag_places = new Map();
    this.#tags_by_no = new Map();
    this.#tags_by_name = new Map();
    this.putTags(plant.tags);
  }

  /** Adds tags that were just stored, or replaces those of the same number. */
  putTags(tags: readonly Tag[]): void {
    this.#version++;
    for (const tag of tags) {
      const place = this.#tag_places.get(tag.tag_no) ?? this.#tags.length;
      this.#tag_places.set(tag.tag_no, place);
      this.#tags[place] = tag;
      this.#tags_by_no.set(tag.tag_no, tag);
      this.#tags_by_name.set(nameKey(tag.project_no, tag.lane, tag.sensor_tag), tag);
    }
  }

  /** Rises with every change: what was worked out from the catalog before is then stale. */
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

  tag(tag_no: number): Tag | undefined {
    return this.#tags_by_no.get(tag_no);
  }

  /** The tag that a source's name means, or undefined when it was never seen. */
  findTag(project_no: number, lane: TagLane, sensor_tag: string): Tag | undefined {
    return this.#tags_by_name.get(nameKey(project_no, lane, sensor_tag));
  }

  /** The sensors that read a tag; empty for an unmapped one. */
  sensorsOfTag(tag_no: number): readonly Sensor[] {
    return this.#sensors_by_tag.get(tag_no) ?? [];
  }
}

function nameKey(project_no: number, lane: TagLane, sensor_tag: string): string {
  return `${project_no}\n${lane}\n${sensor_tag}`;
}
