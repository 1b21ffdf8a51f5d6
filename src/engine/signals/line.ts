// The lines of a project's signals: every tag in each lane that shows it, in the order of rows.
import { compareText } from "../../base/bytes.ts";
import type { Project, Sensor, Tag } from "../../model/plant/plant.ts";
import { type Lane, lanes } from "../../model/samples/signal.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** One tag in one lane; its sensor is the one that the performance lane shows. */
export type SignalLine =
  | { readonly lane: "raw_signal"; readonly tag: Tag; readonly sensor: null }
  | { readonly lane: "performance"; readonly tag: Tag; readonly sensor: Sensor };

/** Which lines a request wants; an empty list and undefined want all. */
export type LineFilter = {
  readonly lane: Lane | undefined;
  readonly tags: readonly string[];
  readonly tag_class: string | undefined;
  readonly device_ids: readonly string[];
};

/** Sorted lines by project, worked out anew when the catalog has changed. */
export class SignalLines {
  readonly #catalog: Catalog;
  #version = -1;
  #by_project = new Map<number, readonly SignalLine[]>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The lines that a request wants, by tag (in the order of UTF-8 bytes), then lane. */
  select(project: Project, filter: LineFilter): readonly SignalLine[] {
    const { lane, tags, tag_class, device_ids } = filter;
    const wanted = new Set(tags);
    const devices = new Set<string | null | undefined>(device_ids);
    return this.#lines(project).filter((line) =>
      (lane === undefined || line.lane === lane) &&
      (wanted.size === 0 || wanted.has(line.tag.sensor_tag)) &&
      (tag_class === undefined || line.tag.tag_class === tag_class) &&
      (devices.size === 0 || devices.has(line.sensor?.device_id))
    );
  }

  #lines(project: Project): readonly SignalLine[] {
    if (this.#version !== this.#catalog.version) {
      this.#by_project = linesByProject(this.#catalog);
      this.#version = this.#catalog.version;
    }
    return this.#by_project.get(project.project_no) ?? [];
  }
}

function linesByProject(catalog: Catalog): Map<number, readonly SignalLine[]> {
  const lines = catalog.tags
    .filter((tag) => tag.lane === "signal")
    .toSorted((a, b) => compareText(a.sensor_tag, b.sensor_tag))
    .flatMap((tag) => lanes.flatMap((lane) => lineOf(catalog, tag, lane)));
  return Map.groupBy(lines, (line) => line.tag.project_no);
}

function lineOf(catalog: Catalog, tag: Tag, lane: Lane): SignalLine[] {
  if (lane === "raw_signal") return [{ lane, tag, sensor: null }];
  const sensor = catalog.sensorsOfTag(tag.tag_no).find((sensor) => sensor.direct);
  return sensor ? [{ lane, tag, sensor }] : [];
}
