// The signals of a project as series of Prometheus: what there is, and what is selected of it.
import { giveWay } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { labelsOfTag, metric_label, tagOfLabels } from "../../model/samples/labels.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { SeriesMatcher } from "../../model/samples/prom_expr.ts";
import { measure_entries } from "../../model/plant/measure.ts";
import type { Project, Sensor, Tag } from "../../model/plant/plant.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** How series are made of tags and sensors, for the reference. */
export const prom_series_doc = "Each tag is a series as it is sent: its name is the metric, or, " +
  'of one such as `power_watts{inverter="7"}`, that has its labels. Names with other signs than ' +
  'letters, digits, `_` and `:` are written `{"inv1.p_ac_kw"}` or `{__name__="inv1.p_ac_kw"}`. ' +
  "Each sensor is one more, in the unit of its measure: `active_power` with the labels " +
  "`component`, `device`, `device_type`, `block`, `site` and `tag`; where its measure has a " +
  "model, `active_power_expected` is what was expected of each minute, and " +
  "`active_power_expected_setpoint` what setpoints left of that. Texts have no series. A " +
  "sample stands for as long as the `carry_s` of its tag, a minute at least, and until a bad one.";

/** A series, and what it is made of. */
export type PromSeries = {
  readonly labels: ReadonlyMap<string, string>;
  readonly tag: Tag;
  readonly from:
    /** The samples of its tag: value × scale + offset. */
    | { readonly kind: "samples"; readonly scale: number; readonly offset: number }
    /** What the minutes of a sensor say, in the unit of its measure. */
    | { readonly kind: "model" | "model_setpoint"; readonly sensor_no: number };
};

/** The measures whose expected values are computed. */
const computed: ReadonlySet<string> = new Set(
  measure_entries.filter(({ model }) => model === "computed").map(({ name }) => name),
);

type Known = { readonly version: number; readonly series: readonly PromSeries[] };

/** Throws a `Fault` (too_large) where series are more than one answer takes. */
export function requireFew(series: readonly PromSeries[]): readonly PromSeries[] {
  const most = sample_limits.prom_series;
  if (series.length <= most) return series;
  throw new Fault("too_large", `${series.length} series match, at most ${most} may: say more`);
}

/** The work of one query: it is bounded, and others have their turn between. */
export class QueryTurns {
  readonly #signal: AbortSignal;
  #steps = 0;
  #paused_at = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Counts steps that were done, or are to be. Throws a `Fault` (too_large) beyond the bound. */
  take(steps: number): Promise<void> | void {
    this.#steps += steps;
    if (this.#steps > sample_limits.prom_steps) throw tooMuch("steps");
    if (this.#steps - this.#paused_at > sample_limits.prom_turn_steps) return this.#pause();
  }

  async #pause(): Promise<void> {
    this.#paused_at = this.#steps;
    await giveWay();
    this.#signal.throwIfAborted();
  }
}

/** The refusal of a query that takes too many of something. */
export function tooMuch(what: string): Fault {
  const message = `the query takes too many ${what}: ask for less time, fewer series or a longer ` +
    "step";
  return new Fault("too_large", message);
}

/** The series of each project, made again when the catalog has changed. */
export class PromCatalog {
  readonly #catalog: Catalog;
  readonly #known = new Map<number, Known>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The series that match any of some selectors, all of them without one. */
  async select(
    project: Project,
    selectors: readonly (readonly SeriesMatcher[])[],
    turns: QueryTurns,
  ): Promise<readonly PromSeries[]> {
    const all = this.#of(project);
    if (selectors.length === 0) return all;
    const found: PromSeries[] = [];
    for (const series of all) {
      let cost = 1;
      const isMatch = ({ name, matches, step }: SeriesMatcher) => {
        const text = series.labels.get(name) ?? "";
        cost += Math.ceil(step * text.length);
        return matches(text);
      };
      if (selectors.some((matchers) => matchers.every(isMatch))) found.push(series);
      await turns.take(cost);
    }
    return found;
  }

  /** The names of the labels, or the values of one, that series have: sorted. */
  words(series: readonly PromSeries[], name?: string): readonly string[] {
    const words = series.flatMap(({ labels }) =>
      name === undefined ? [...labels.keys()] : labels.get(name) ?? []
    );
    return [...new Set(words)].sort();
  }

  #of({ project_no }: Project): readonly PromSeries[] {
    const { version } = this.#catalog;
    const known = this.#known.get(project_no);
    if (known?.version === version) return known.series;
    const series = this.#make(project_no);
    this.#known.set(project_no, { version, series });
    return series;
  }

  #make(project_no: number): readonly PromSeries[] {
    const tags = this.#catalog.tags.filter((tag) =>
      tag.project_no === project_no && tag.lane === "signal" && tag.encoding !== "string"
    );
    const made = new Map<string, PromSeries>();
    const add = (series: PromSeries) => {
      const name = tagOfLabels([...series.labels]);
      if (!made.has(name)) made.set(name, series);
    };
    for (const tag of tags) {
      const from = { kind: "samples", scale: 1, offset: 0 } as const;
      add({ labels: labelsOfTag(tag.sensor_tag), tag, from });
      for (const sensor of this.#catalog.sensorsOfTag(tag.tag_no)) {
        for (const series of this.#ofSensor(sensor, tag)) add(series);
      }
    }
    return [...made.values()];
  }

  /** The series of a sensor: measured and, where there may be such, expected. */
  #ofSensor(sensor: Sensor, tag: Tag): PromSeries[] {
    const { scale, offset, sensor_no, measure } = sensor;
    const labels = this.#labelsOf(sensor, tag);
    const named = (suffix: string) => new Map([...labels, [metric_label, `${measure}${suffix}`]]);
    const sent = this.#catalog.findTag(tag.project_no, "model", tag.sensor_tag);
    const measured = { labels, tag, from: { kind: "samples", scale, offset } } as const;
    if (!computed.has(measure) && sent === undefined) return [measured];
    return [
      measured,
      { labels: named("_expected"), tag, from: { kind: "model", sensor_no } },
      { labels: named("_expected_setpoint"), tag, from: { kind: "model_setpoint", sensor_no } },
    ];
  }

  #labelsOf(sensor: Sensor, tag: Tag): ReadonlyMap<string, string> {
    const catalog = this.#catalog;
    const device = sensor.device_id === null ? undefined : catalog.device(sensor.device_id);
    const block = catalog.blocks.find(({ id }) => id === sensor.block_id);
    const labels = {
      [metric_label]: sensor.measure,
      component: sensor.component,
      device: device?.key,
      device_type: device?.type,
      block: block?.key,
      site: catalog.site(sensor.site_no)?.key,
      tag: tag.sensor_tag,
    };
    return new Map(Object.entries(labels).flatMap(([name, text]) => text ? [[name, text]] : []));
  }
}
