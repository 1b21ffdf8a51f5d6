// Series as Prometheus names them, by labels, and the tag that a series is: both ways.

export type Label = readonly [name: string, value: string];

/** The label that is a series' metric. */
export const metric_label = "__name__";

/** How series become samples, for the reference. */
export const series_doc = "Each series is a tag: its metric and, sorted by name, its labels, as " +
  'Prometheus writes them: `power_watts{inverter="7"}`. A value that is ' +
  "no finite number is a sample without a value, of bad quality: so a series that Prometheus " +
  "marks as stale is not carried on. Native histograms are rejected; exemplars and metadata are " +
  "not stored.";

const plain_metric = /^[a-zA-Z_:][\w:]*$/;
/** What the name of a label is without quotes. */
export const plain_label = /^[a-zA-Z_]\w*$/;

/**
 * The tag of a series with a metric: as Prometheus writes it, its labels sorted by name, without
 * those that are empty. `power_watts{inverter="7"}`, or `{"a metric",inverter="7"}`.
 */
export function tagOfLabels(labels: readonly Label[]): string {
  const metric = labels.find(([name]) => name === metric_label)?.[1] ?? "";
  const isPlain = plain_metric.test(metric);
  const parts = labels.filter(([name, value]) => name !== metric_label && value !== "")
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, value]) => `${plain_label.test(name) ? name : quoted(name)}=${quoted(value)}`);
  const inner = (isPlain ? parts : [quoted(metric), ...parts]).join(",");
  return inner === "" ? metric : `${isPlain ? metric : ""}{${inner}}`;
}

function quoted(text: string): string {
  if (!/[\\"\n]/.test(text)) return `"${text}"`;
  return `"${text.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** A label, or a metric in quotes, inside the braces of a series; what follows may be another. */
const inside = /(?:([a-zA-Z_]\w*)=|("(?:[^"\\]|\\.)*")(=?))("(?:[^"\\]|\\.)*")?(,|$)/y;

/** The labels of a tag: of one that is written as a series its own, else its name as a metric. */
export function labelsOfTag(tag: string): ReadonlyMap<string, string> {
  const brace = tag.indexOf("{");
  if (brace < 0 || !tag.endsWith("}")) return new Map([[metric_label, tag]]);
  const labels: Label[] = brace === 0 ? [] : [[metric_label, tag.slice(0, brace)]];
  const text = tag.slice(brace + 1, -1);
  for (let at = 0; at < text.length; at = inside.lastIndex) {
    inside.lastIndex = at;
    const [, name, quoted_name, equals, value] = inside.exec(text) ?? [];
    if (name !== undefined && value) labels.push([name, unquoted(value)]);
    else if (quoted_name && equals && value) labels.push([unquoted(quoted_name), unquoted(value)]);
    else if (quoted_name && !equals && !value) labels.push([metric_label, unquoted(quoted_name)]);
    else return new Map([[metric_label, tag]]);
  }
  // What another source wrote almost like it is its own name.
  return tagOfLabels(labels) === tag ? new Map(labels) : new Map([[metric_label, tag]]);
}

function unquoted(text: string): string {
  return text.slice(1, -1).replaceAll(/\\(.)/g, (_, sign) => sign === "n" ? "\n" : sign);
}

/**
 * The labels of the series that a tag is sent as, sorted by name: its own where it is written as a
 * series of plain words; else its name with `_` for what a metric can't have, and in the label
 * `tag` as it is. Its own labels hold over `more`.
 */
export function seriesLabels(
  tag: string,
  more: Readonly<Record<string, string>>,
): readonly Label[] {
  const own = labelsOfTag(tag);
  const isPlain = Array.from(own).every(([name, value]) =>
    name === metric_label ? plain_metric.test(value) : plain_label.test(name)
  );
  const metric = tag.replaceAll(/[^\w:]/g, "_").replace(/^(?=\d)/, "_");
  const named = isPlain ? own : new Map([[metric_label, metric], ["tag", tag]]);
  const all = new Map([...Object.entries(more), ...named]);
  return [...all].sort(([a], [b]) => a < b ? -1 : 1);
}
