// Reads a query in PromQL into what can be worked out; what is not understood is named.
import { parser } from "@prometheus-io/lezer-promql";
import { RE2JS } from "re2js";
import { nearest } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { metric_label } from "../../model/samples/labels.ts";
import {
  aggregate_names,
  binary_names,
  type MatchOp,
  type PromExpr,
  range_functions,
  type SeriesMatcher,
} from "../../model/samples/prom_expr.ts";
import { body_limits } from "../bytes/limits.ts";

/** The expression of a query. Throws a `Fault` (invalid) that says what is wrong, and where. */
export function parsePromQl(query: string): PromExpr {
  if (query.length > body_limits.promql_length) {
    throw new Fault("invalid", `a query has at most ${body_limits.promql_length} characters`);
  }
  const reader = new QueryReader(query);
  return reader.whole(reader.read);
}

/** The matchers of a selector alone, as `match[]` has them. Throws a `Fault` likewise. */
export function parseSelector(query: string): readonly SeriesMatcher[] {
  const expr = parsePromQl(query);
  if (expr.kind === "selector" && expr.range_us === null && expr.offset_us === 0) {
    return expr.matchers;
  }
  throw new Fault("invalid", `match[] takes a selector such as power{device="inv1"}`);
}

type Selector = PromExpr & { readonly kind: "selector" };
type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

const calls: readonly string[] = Object.keys(range_functions);

class QueryReader {
  readonly #query: string;
  /** Offsets by where their selector begins. */
  readonly #offsets = new Map<number, number>();
  #depth = 0;

  constructor(query: string) {
    this.#query = query;
  }

  /** What `read` makes of the whole query, where that is well-formed. */
  whole<T>(read: (node: SyntaxNode) => T): T {
    const tree = parser.parse(this.#query);
    tree.iterate({
      enter: ({ type, from }) => {
        if (type.isError) throw this.#wrong(from);
      },
    });
    const [top] = childrenOf(tree.topNode);
    if (top === undefined) throw new Fault("invalid", "the query is empty");
    return read(top);
  }

  /** The expression of a node. */
  readonly read = (node: SyntaxNode): PromExpr => {
    if (++this.#depth > body_limits.promql_depth) {
      throw new Fault("invalid", `a query nests at most ${body_limits.promql_depth} deep`);
    }
    const expr = this.#read(node);
    this.#depth--;
    return expr;
  };

  #read(node: SyntaxNode): PromExpr {
    const inner = childrenOf(node);
    switch (node.name) {
      case "ParenExpr":
        return this.read(inner[0]);
      case "NumberDurationLiteral":
        return { kind: "number", value: numberOf(this.#text(node)) };
      case "UnaryExpr":
        return this.#negated(node, inner);
      case "VectorSelector":
        return this.#moved(node, this.#selector(inner));
      case "MatrixSelector":
        return this.#moved(node, this.#ranged(inner));
      case "OffsetExpr":
        return this.#shifted(inner);
      case "FunctionCall":
        return this.#call(inner);
      case "AggregateExpr":
        return this.#aggregate(inner);
      case "BinaryExpr":
        return this.#binary(inner);
    }
    throw this.#unknown(node);
  }

  #text({ from, to }: SyntaxNode): string {
    return this.#query.slice(from, to);
  }

  /** Where the text can't be read: the name before it is mostly a function nobody knows. */
  #wrong(at: number): Fault {
    const name = /(\w+)\s*$/.exec(this.#query.slice(0, at))?.[1];
    const follows = this.#query.slice(at).trimStart();
    if (name && follows.startsWith("(")) return unknownFunction(name);
    const near = follows.slice(0, 20);
    return new Fault("invalid", `the query can't be read at character ${at + 1}: ${near || "end"}`);
  }

  #unknown(node: SyntaxNode): Fault {
    const what = `${JSON.stringify(this.#text(node).slice(0, 60))} (${node.name})`;
    return new Fault("invalid", `${what} is not understood here; ${understood}`);
  }

  #negated(node: SyntaxNode, [sign, operand]: readonly SyntaxNode[]): PromExpr {
    if (this.#text(sign) === "+") return this.read(operand);
    if (this.#text(sign) !== "-") throw this.#unknown(node);
    return negative(this.read(operand));
  }

  #selector(inner: readonly SyntaxNode[]): Selector {
    const matchers = inner.flatMap((node): SeriesMatcher[] => {
      if (node.name !== "LabelMatchers") return [matcherOf(metric_label, "=", this.#text(node))];
      return childrenOf(node).map((matcher) => this.#matcher(matcher));
    });
    if (matchers.every(({ matches }) => matches(""))) {
      throw new Fault("invalid", "a selector needs a metric, or a label that is not empty");
    }
    return { kind: "selector", matchers, range_us: null, offset_us: 0 };
  }

  #matcher(node: SyntaxNode): SeriesMatcher {
    const [name, op, value] = childrenOf(node);
    const own = (it: SyntaxNode) =>
      it.name === "LabelName" ? this.#text(it) : textOf(this.#text(it));
    if (node.name === "QuotedLabelName") return matcherOf(metric_label, "=", own(name));
    return matcherOf(own(name), this.#text(op) as MatchOp, own(value));
  }

  #ranged([selector, duration]: readonly SyntaxNode[]): Selector {
    const range_us = durationOf(this.#text(duration));
    if (selector.name !== "VectorSelector") throw this.#unknown(selector);
    return { ...this.#selector(childrenOf(selector)), range_us };
  }

  /** The grammar puts an offset around all operands before it; it is of the last selector. */
  #shifted([shifted, , duration]: readonly SyntaxNode[]): PromExpr {
    const text = this.#text(duration).replaceAll(/\s/g, "");
    const sign = text.startsWith("-") ? -1 : 1;
    let last = shifted;
    while (["BinaryExpr", "UnaryExpr"].includes(last.name)) last = childrenOf(last).at(-1)!;
    if (!["VectorSelector", "MatrixSelector"].includes(last.name)) throw this.#unknown(last);
    this.#offsets.set(last.from, sign * durationOf(text.replace(/^[+-]/, "")));
    return this.read(shifted);
  }

  #moved({ from }: SyntaxNode, selector: Selector): Selector {
    return { ...selector, offset_us: this.#offsets.get(from) ?? 0 };
  }

  #call([name, body]: readonly SyntaxNode[]): PromExpr {
    const called = this.#text(name);
    const [argument, more] = body ? childrenOf(body) : [];
    if (!Object.hasOwn(range_functions, called)) throw unknownFunction(called);
    const selector = argument && more === undefined ? this.read(argument) : undefined;
    if (selector?.kind !== "selector" || selector.range_us === null) {
      throw new Fault("invalid", `${called} takes a selector with a range, such as power[5m]`);
    }
    return { kind: "call", name: called as keyof typeof range_functions, selector };
  }

  #aggregate(inner: readonly SyntaxNode[]): PromExpr {
    const part = (name: string) => inner.find((node) => node.name === name);
    const op = this.#text(part("AggregateOp")!).toLowerCase();
    const known = aggregate_names.find((name) => name === op);
    if (known === undefined) throw unknownFunction(op);
    const [operand, more] = childrenOf(part("FunctionCallBody")!);
    if (operand === undefined || more !== undefined) {
      throw new Fault("invalid", `${op} takes one expression`);
    }
    const modifier = part("AggregateModifier");
    const [word, labels] = modifier ? childrenOf(modifier) : [];
    return {
      kind: "aggregate",
      op: known,
      labels: labels ? childrenOf(labels).map((label) => nameOf(this.#text(label))) : [],
      is_without: word?.name === "Without",
      operand: this.#vector(operand),
    };
  }

  #vector(node: SyntaxNode): PromExpr {
    const expr = this.read(node);
    if (expr.kind !== "selector" || expr.range_us === null) return expr;
    throw new Fault("invalid", `${this.#text(node)} has a range: put it into avg_over_time(…)`);
  }

  #binary(inner: readonly SyntaxNode[]): PromExpr {
    const [left, sign, ...rest] = inner;
    const op = binary_names.find((name) => name === this.#text(sign));
    const right = rest.at(-1)!;
    const modifiers = rest.slice(0, -1);
    const isBool = ({ name }: SyntaxNode) => name === "BoolModifier";
    const other = modifiers.find((node) => !isBool(node));
    if (op === undefined) throw this.#unknown(sign);
    if (other) throw this.#unknown(other);
    const is_bool = modifiers.some(isBool);
    const operands = { left: this.#vector(left), right: this.#vector(right) };
    // The grammar reads a sign as the number's, but a power comes before it.
    if (op === "^" && operands.left.kind === "number" && this.#text(left).startsWith("-")) {
      const base: PromExpr = { kind: "number", value: -operands.left.value };
      return negative({ kind: "binary", op, is_bool, left: base, right: operands.right });
    }
    return { kind: "binary", op, is_bool, ...operands };
  }
}

function negative(right: PromExpr): PromExpr {
  const left: PromExpr = { kind: "number", value: -1 };
  return { kind: "binary", op: "*", is_bool: false, left, right };
}

const understood = `understood are selectors, offset, ${calls.join(", ")}, ` +
  `${aggregate_names.join(", ")} with by or without, numbers and ${binary_names.join(" ")}`;

function unknownFunction(name: string): Fault {
  const meant = nearest(name, [...calls, ...aggregate_names]);
  const hint = meant ? `meant ${meant}?` : understood;
  return new Fault("invalid", `there is no ${name.slice(0, 60)}() here; ${hint}`);
}

function matcherOf(name: string, op: MatchOp, value: string): SeriesMatcher {
  if (op === "=" || op === "!=") {
    return { name, op, value, step: 0, matches: (text) => (text === value) === (op === "=") };
  }
  if (plain_words.test(value)) {
    const words = new Set(value.split("|").map((word) => word.replaceAll(/\\(.)/g, "$1")));
    return { name, op, value, step: 0, matches: (text) => words.has(text) === (op === "=~") };
  }
  const pattern = patternOf(value);
  // A step is some ten nanoseconds: at worst, each character meets each instruction in fifty.
  const step = 5 * pattern.programSize();
  return { name, op, value, step, matches: (text) => pattern.matches(text) === (op === "=~") };
}

/** Some texts, one of which is meant: what tools make of a choice of many. */
const plain_words = /^(?:[\w :\/|-]|\\[.^$*+?()[\]{}\\\/:-])*$/;

/** Of the syntax of Go, in time that grows with the text alone. */
function patternOf(text: string): RE2JS {
  const repeats = Array.from(text.matchAll(/\{(\d*),?(\d*)\}/g), ([, a, b]) => Math.max(+a, +b));
  if (
    text.length > body_limits.promql_pattern_length ||
    Math.max(...repeats) > body_limits.promql_pattern_repeat
  ) {
    throw tooLong();
  }
  const pattern = compiled(text);
  if (pattern.programSize() > body_limits.promql_pattern_size) throw tooLong();
  return pattern;
}

function tooLong(): Fault {
  const message = `a pattern has at most ${body_limits.promql_pattern_length} characters, ` +
    `repeats at most ${body_limits.promql_pattern_repeat} times, ` +
    "and not so many in each other: name the series, or fewer of them";
  return new Fault("invalid", message);
}

function compiled(text: string): RE2JS {
  try {
    return RE2JS.compile(text, RE2JS.DOTALL);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault("invalid", `${JSON.stringify(text.slice(0, 60))} is no pattern: ${reason}`);
  }
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const all: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (!["Comment", "LineComment"].includes(child.name)) all.push(child);
  }
  return all;
}

function nameOf(text: string): string {
  return /^["'`]/.test(text) ? textOf(text) : text;
}

/** The text of a literal, in any of the three quotes. */
function textOf(literal: string): string {
  const inner = literal.slice(1, -1);
  if (literal.startsWith("`")) return inner;
  return inner.replaceAll(/\\(x[\da-f]{2}|u[\da-f]{4}|.)/gi, (_, sign: string) => {
    if (sign.length > 1) return String.fromCharCode(parseInt(sign.slice(1), 16));
    return ({ n: "\n", t: "\t", r: "\r" } as Record<string, string>)[sign] ?? sign;
  });
}

function numberOf(text: string): number {
  const plain = text.toLowerCase().replaceAll("_", "");
  if (/^[+-]?inf/.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
  const value = Number(plain);
  return Number.isNaN(value) && plain !== "nan" ? durationOf(text) / 1e6 : value;
}

const units_us = {
  ...{ ms: 1e3, s: 1e6, m: 60e6, h: 3600e6 },
  ...{ d: 86_400e6, w: 604_800e6, y: 31_536_000e6 },
};

const longest_us = 100 * units_us.y;

/** Microseconds of a duration such as `1h30m`, or of a number of seconds. Throws a `Fault`. */
export function durationOf(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1e6);
  const parts = [...text.matchAll(/(\d+)(ms|[smhdwy])/g)];
  const us = parts.reduce((sum, [, n, unit]) => sum + Number(n) * units_us[unit as "s"], 0);
  if (us > longest_us) throw new Fault("invalid", `${text.slice(0, 40)} is over 100 years`);
  if (us > 0 && parts.map(([part]) => part).join("") === text) return us;
  throw new Fault("invalid", `${text.slice(0, 40)} is no duration: write 5m, 1h30m or seconds`);
}
