// The result as tables in Markdown, and how the product stands in each row.
import type { Load, Read, Result } from "./run.ts";
import { question_names, questions, type Work } from "./work.ts";

/** Something measured of the product and of peers; more or less of it is better. */
export type Row = {
  readonly what: string;
  readonly better: "more" | "less";
  readonly ours: number;
  readonly peers: Readonly<Record<string, number>>;
};

/** How the product stands beside the best peer; a ratio over 1 is behind it. */
export type Standing = {
  readonly best: string;
  readonly ratio: number;
  readonly verdict: "first" | "within 1.2 ×" | "behind";
};

/** How a row stands beside all its peers, or beside some; undefined where none of them has it. */
export function standingOf(
  { better, ours, peers }: Row,
  among: readonly string[] = Object.keys(peers),
): Standing | undefined {
  const behind = (theirs: number) => better === "more" ? theirs / ours : ours / theirs;
  const [first] = among.filter((name) => name in peers)
    .map((best) => ({ best, ratio: behind(peers[best]) }))
    .toSorted((a, b) => b.ratio - a.ratio);
  if (first === undefined) return undefined;
  const { ratio } = first;
  const verdict = ratio <= 1 ? "first" : ratio <= 1.2 ? "within 1.2 ×" : "behind";
  return { ...first, verdict };
}

/** What tables need to know beside the result. */
export type TableOptions = {
  readonly work: Work;
  /** The product's name, and those of peers that are servers. */
  readonly ours: string;
  readonly servers: readonly string[];
};

/** The tables of ingest, of warm and cold questions, and of the rows that are behind. */
export function tablesOf({ loads, reads }: Result, options: TableOptions): string {
  const { ours, servers } = options;
  const stands = (row: Row) => [...standingCells(row), ...standingCells(row, servers)];
  const measured = ingest_measures.map(({ what }) => what);
  const ingest = ingestRows(loads, ours);
  const rowsOf = (take: (read: Read) => number) => questionRows(reads, { ours, take });
  const [warm, cpu, cold] = [rowsOf(bestOf), rowsOf(cpuOf), rowsOf(({ cold_ms }) => cold_ms)];
  const behind = Object.entries({ ingest, warm, cpu, cold }).flatMap(([table, rows]) =>
    rows.filter((row) => standingOf(row)?.verdict === "behind")
      .map((row) => [`${table}: ${row.what}`, ...stands(row)])
  );
  return [
    "## Ingest",
    tableOf(["peer, body", "clients", ...measured], loadLines(loads)),
    tableOf(
      ["ingest", "ours", ...standing_heads],
      ingest.map((row) => [row.what, digits(row.ours), ...stands(row)]),
    ),
    "## Questions, warm: best (median) in ms",
    questionTable(reads, { ...options, rows: warm, stands, show: showWarm }),
    "## Questions, warm: the processor's time of the peer's own processes, mean in ms",
    "Where others use the machine, it says more than the time by the clock.",
    questionTable(reads, {
      ...{ ...options, rows: cpu, stands, show: (read) => digits(cpuOf(read)) },
    }),
    "## Questions, the first after a start with the files out of the page cache, ms",
    questionTable(reads, {
      ...{ ...options, rows: cold, stands, show: (read) => digits(read.cold_ms) },
    }),
    "## Where the product is not within 1.2 × of the first",
    behind.length === 0 ? "Nowhere." : tableOf(["row", ...standing_heads], behind),
  ].join("\n\n");
}

const standing_heads = ["best peer", "ours ÷ best", "", "best server", "ours ÷ best", ""];

function standingCells(row: Row, among?: readonly string[]): string[] {
  const standing = standingOf(row, among);
  if (!standing) return ["–", "–", "alone"];
  const { best, ratio, verdict } = standing;
  return [`${best} ${digits(row.peers[best])}`, ratio.toFixed(2), verdict];
}

function loadLines(loads: readonly Load[]): string[][] {
  const lines = loads.map((load) => [
    `${load.peer}, ${load.format}`,
    String(load.clients),
    ...ingest_measures.map(({ take }) => digits(take(load))),
  ]);
  return lines.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
}

/** What is compared of an ingest. */
const ingest_measures = [
  {
    what: "k values/s acknowledged",
    better: "more",
    take: ({ values, acknowledged_s }) => values / acknowledged_s / 1000,
  },
  {
    what: "k values/s visible",
    better: "more",
    take: ({ values, visible_s }) => values / visible_s / 1000,
  },
  {
    what: "CPU s per M acknowledged",
    better: "less",
    take: ({ values, acknowledged_cpu_s }) => acknowledged_cpu_s / values * 1e6,
  },
  {
    what: "CPU s per M visible",
    better: "less",
    take: ({ values, visible_cpu_s }) => visible_cpu_s / values * 1e6,
  },
  { what: "bytes a value", better: "less", take: ({ values, bytes }) => bytes / values },
] as const satisfies readonly (Pick<Row, "what" | "better"> & { take: (load: Load) => number })[];

/** Each way into the product by number of clients, beside the peers' with as many. */
function ingestRows(loads: readonly Load[], ours: string): readonly Row[] {
  return loads.filter(({ peer }) => peer === ours).flatMap((load) => {
    const same = loads.filter((it) => it.peer !== ours && it.clients === load.clients);
    return ingest_measures.map(({ what, better, take }): Row => ({
      what: `${load.format}, clients: ${load.clients}, ${what}`,
      ...{ better, ours: take(load) },
      peers: Object.fromEntries(same.map((it) => [it.peer, take(it)])),
    }));
  });
}

/** The rows of questions, each with the number that `take` gives of a read. */
export function questionRows(
  reads: readonly Read[],
  { ours, take }: { readonly ours: string; readonly take: (read: Read) => number },
): readonly Row[] {
  return question_names.flatMap((question) => {
    const of = reads.filter((it) => it.question === question);
    const own = of.find(({ peer }) => peer === ours);
    if (!own) return [];
    const theirs = of.filter(({ peer, wrong }) => peer !== ours && wrong.length === 0);
    const peers = Object.fromEntries(theirs.map((it) => [it.peer, take(it)]));
    return [{ what: questions[question].what, better: "less" as const, ours: take(own), peers }];
  });
}

/** The shortest of the warm turns. */
export function bestOf({ warm_ms }: Read): number {
  return Math.min(...warm_ms);
}

/** At least what the kernel counts in, over the turns: less can't be told. */
function cpuOf({ cpu_ms, warm_ms }: Read): number {
  return Math.max(cpu_ms, 10 / warm_ms.length);
}

function showWarm(read: Read): string {
  const sorted = read.warm_ms.toSorted((a, b) => a - b);
  return `${digits(bestOf(read))} (${digits(sorted[sorted.length >> 1])})`;
}

function questionTable(
  reads: readonly Read[],
  { work, rows, stands, show }: TableOptions & {
    readonly rows: readonly Row[];
    readonly stands: (row: Row) => readonly string[];
    readonly show: (read: Read) => string;
  },
): string {
  const names = [...new Set(reads.map(({ peer }) => peer))];
  const lines = question_names.map((question) => {
    const cells = names.map((name) => {
      const read = reads.find((it) => it.peer === name && it.question === question);
      if (!read) return "–";
      return read.wrong.length > 0 ? `WRONG: ${read.wrong[0]} values` : show(read);
    });
    const { what, values } = questions[question];
    const row = rows.find((it) => it.what === what);
    return [what, String(values(work)), ...cells, ...row ? stands(row) : []];
  });
  return tableOf(["question", "values", ...names, ...standing_heads], lines);
}

/** A table in Markdown. */
export function tableOf(heads: readonly string[], lines: readonly (readonly string[])[]): string {
  const rows = [heads, heads.map(() => "---"), ...lines];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A number with three digits, or without decimals. */
export function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
