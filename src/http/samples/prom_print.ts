// Writes answers in the JSON of Prometheus, a piece at a time.
import type { PromResult } from "../../engine/signals/prom_combine.ts";

/** A list, each of its items as `print` writes it. */
export function* printList<T>(items: readonly T[], print: (item: T) => string): Generator<string> {
  yield "[";
  for (const [i, item] of items.entries()) yield `${i > 0 ? ",\n" : ""}${print(item)}`;
  yield "]";
}

/** What a query is worth at one instant. */
export function* printInstant(found: PromResult, at_us: number): Generator<string> {
  const point = (value: number) => printPoint(at_us, value);
  if (found.kind === "scalar") {
    return yield `{"resultType":"scalar","result":${point(found.values[0]!)}}`;
  }
  yield '{"resultType":"vector","result":';
  const rows = found.rows.filter(({ values }) => values[0] !== undefined);
  yield* printList(
    rows,
    ({ labels, values }) => `{"metric":${printLabels(labels)},"value":${point(values[0]!)}}`,
  );
  yield "}";
}

/** What a query is worth at each instant of a range. */
export function* printRange(found: PromResult, instants_us: readonly number[]): Generator<string> {
  const rows = found.kind === "vector" ? found.rows : [{ labels: new Map(), values: found.values }];
  yield '{"resultType":"matrix","result":';
  yield* printList(rows, ({ labels, values }) => {
    const points = values.flatMap((value, i) =>
      value === undefined ? [] : printPoint(instants_us[i], value)
    );
    return `{"metric":${printLabels(labels)},"values":[${points.join(",")}]}`;
  });
  yield "}";
}

function printPoint(at_us: number, value: number): string {
  return `[${at_us / 1e6},"${numberText(value)}"]`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** The labels of a series. */
export function printLabels(labels: ReadonlyMap<string, string>): string {
  return JSON.stringify(Object.fromEntries(labels));
}
