// Works out what PromQL makes of series at instants: sums of them, and operations between them.
import { Fault } from "../../base/fault.ts";
import { metric_label, tagOfLabels } from "../../model/samples/labels.ts";
import type { PromExpr } from "../../model/samples/prom_expr.ts";

type Labels = ReadonlyMap<string, string>;

/** A value at each instant of a query, or undefined where there is none. */
type Values = readonly (number | undefined)[];

/** What an expression is worth. */
export type PromResult =
  | { readonly kind: "scalar"; readonly values: Values }
  | { readonly kind: "vector"; readonly rows: readonly PromRow[] };

/** A series of a result. */
export type PromRow = { readonly labels: Labels; readonly values: Values };

/** The series of a result. Throws a `Fault` where it is a number. */
export function rowsOf(result: PromResult): readonly PromRow[] {
  if (result.kind === "vector") return result.rows;
  throw new Fault("invalid", "an aggregation takes series, not a number");
}

/** Labels without the metric. */
export function unnamed(labels: Labels): Labels {
  return new Map([...labels].filter(([name]) => name !== metric_label));
}

/** Rows of one group become one, by the labels that stay. */
export function aggregate(
  { op, labels: names, is_without }: PromExpr & { readonly kind: "aggregate" },
  rows: readonly PromRow[],
): PromRow[] {
  const listed = new Set(names);
  const groupOf = ({ labels }: PromRow) =>
    new Map(
      [...labels].filter(([name]) =>
        is_without ? !listed.has(name) && name !== metric_label : listed.has(name)
      ),
    );
  const groups = Map.groupBy(rows, (row) => tagOfLabels([...groupOf(row)]));
  return [...groups.values()].map((group) => ({
    labels: groupOf(group[0]),
    values: group[0].values.map((_, i) => {
      const values = group.map((row) => row.values[i]).filter((value) => value !== undefined);
      return values.length === 0 ? undefined : reducers[op](values);
    }),
  }));
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

const reducers = {
  sum,
  avg: (values) => sum(values) / values.length,
  min: (values) => values.reduce((a, b) => Math.min(a, b)),
  max: (values) => values.reduce((a, b) => Math.max(a, b)),
  count: (values) => values.length,
} as const satisfies Record<string, (values: readonly number[]) => number>;

/** An operation between two expressions. */
export type Binary = PromExpr & { readonly kind: "binary" };

/** What an operation makes of its two sides. Throws a `Fault` where they do not fit. */
export function combine(expr: Binary, left: PromResult, right: PromResult): PromResult {
  if (left.kind === "scalar" && right.kind === "scalar") {
    if (isComparison(expr) && !expr.is_bool) {
      throw new Fault("invalid", `${expr.op} between numbers needs bool`);
    }
    return { kind: "scalar", values: pairwise(expr, left.values, right.values) };
  }
  if (left.kind === "scalar") {
    return vectorOf(rowsOf(right).map((row) => joined(expr, row, [left.values, row.values])));
  }
  if (right.kind === "scalar") {
    return vectorOf(left.rows.map((row) => joined(expr, row, [row.values, right.values])));
  }
  const others = bySignature(right.rows);
  return vectorOf([...bySignature(left.rows)].flatMap(([signature, row]) => {
    const other = others.get(signature);
    return other ? [joined(expr, row, [row.values, other.values])] : [];
  }));
}

function vectorOf(rows: readonly PromRow[]): PromResult {
  const shown = rows.filter(({ values }) => values.some((value) => value !== undefined));
  return { kind: "vector", rows: distinct(shown) };
}

/** Rows whose series may have lost their metric. Throws a `Fault` where some are alike now. */
export function distinct(rows: readonly PromRow[]): readonly PromRow[] {
  requireAll(rows, new Set(rows.map(({ labels }) => tagOfLabels([...labels]))));
  return rows;
}

/** Rows by their labels without the metric. Throws a `Fault` where several have the same. */
function bySignature(rows: readonly PromRow[]): ReadonlyMap<string, PromRow> {
  return requireAll(rows, new Map(rows.map((row) => [tagOfLabels([...unnamed(row.labels)]), row])));
}

function requireAll<F extends { readonly size: number }>(rows: readonly PromRow[], found: F): F {
  if (found.size === rows.length) return found;
  const message = "several series have the same labels but for their metric: " +
    "aggregate them first, or name one metric";
  throw new Fault("invalid", message);
}

/** A row of a result: a comparison keeps what is so as it is, with its metric. */
function joined(expr: Binary, row: PromRow, [left, right]: readonly [Values, Values]): PromRow {
  const found = pairwise(expr, left, right);
  if (!isComparison(expr) || expr.is_bool) return { labels: unnamed(row.labels), values: found };
  return { ...row, values: found.map((is, i) => is ? row.values[i] : undefined) };
}

function isComparison({ op }: Binary): boolean {
  return ["==", "!=", ">", "<", ">=", "<="].includes(op);
}

function pairwise({ op }: Binary, left: Values, right: Values): Values {
  return left.map((a, i) => {
    const b = right[i];
    return a === undefined || b === undefined ? undefined : Number(operators[op](a, b));
  });
}

const operators: Readonly<Record<Binary["op"], (a: number, b: number) => number | boolean>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "^": (a, b) => a ** b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">": (a, b) => a > b,
  "<": (a, b) => a < b,
  ">=": (a, b) => a >= b,
  "<=": (a, b) => a <= b,
};
