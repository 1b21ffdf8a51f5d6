// A process of one question in SQL: it alone parses and runs what people wrote, and may be killed.
import { setPriority } from "node:os";
import type { Effects } from "../../base/effects.ts";
import { ownMemory, type Pipe } from "../../base/effects_self.ts";
import { Fault } from "../../base/fault.ts";
import { nearest } from "../../base/did_you_mean.ts";
import { query_limits } from "../../model/query/limits.ts";
import { type Bound, type Plan, planOf, type Read } from "../../model/query/plan.ts";
import type { Views } from "../../model/query/tree.ts";
import type { ViewShape, Wanted } from "../../model/query/view.ts";
import { Sandbox, type ViewRows } from "../../store/query/sandbox.ts";
import { encode, type Format } from "../../wire/format.ts";

/** What it is told first: the question, and all that there is to be asked. */
export type Order = {
  readonly sql: string;
  readonly format: Format;
  readonly timezone: string;
  readonly views: readonly ViewShape[];
  /** Where the library lies that it works with. */
  readonly library_folder: string;
  /** Where files with rows come to lie: all of the file system that it reaches. */
  readonly folder: string;
};

/** What it is told then: the rows that it wanted. */
export type Supply = { readonly rows: readonly ViewRows[] };

/** What it says: what it wants, that all bytes of the answer are sent, or what is wrong. */
export type Report =
  | { readonly wanted: readonly Wanted[] }
  | { readonly rows: number }
  | { readonly fault: { readonly code: Fault["code"]; readonly message: string } };

/** The code that a process ends with whose memory grew too large. */
export const memory_code = 7;

/** The code of one whose starter is gone. */
const orphan_code = 8;

/**
 * Answers one question and gives the code to end with. Ends the process itself, by `exit`, where it
 * grows over its memory, for the library checks only some of what it takes.
 */
export async function runWorker(
  pipe: Pipe,
  { effects, exit }: {
    readonly effects: Pick<Effects, "sleep">;
    readonly exit: (code: number) => void;
  },
): Promise<number> {
  setPriority(10);
  const over = new AbortController();
  const watch = async () => {
    while (!over.signal.aborted) {
      if (ownMemory() > query_limits.process_bytes) exit(memory_code);
      await effects.sleep(query_limits.memory_look_ms, over.signal);
    }
  };
  void watch();
  // Who asked kills it in time; where that is gone, it ends by itself.
  void effects.sleep(query_limits.worker_ms, over.signal).then(() => {
    if (!over.signal.aborted) exit(orphan_code);
  });
  const said = await pipe.receive();
  if (said === undefined || !("json" in said)) return 0;
  const onOrphaned = () => {
    if (!over.signal.aborted) exit(orphan_code);
  };
  const report = await answer(said.json as Order, { pipe, onOrphaned }).catch(reportOf);
  await pipe.send({ json: report });
  over.abort();
  return 0;
}

async function answer(
  order: Order,
  { pipe, onOrphaned }: { readonly pipe: Pipe; readonly onOrphaned: () => void },
): Promise<Report> {
  const { sql, timezone, format, library_folder, folder } = order;
  const views: Views = new Map(order.views.map((view) => [view.name, view]));
  const sandbox = await Sandbox.open({ timezone, library_folder, folder });
  const plan = planOf(await sandbox.parse(sql, views), views);
  // What is wrong with its names and types is said before anything is read for it.
  await sandbox.makeViews(order.views, []);
  await sandbox.columnsOf(sql).catch((error) => Promise.reject(told(error, plan)));
  await pipe.send({ json: { wanted: await wantsOf(sandbox, plan) } satisfies Report });
  const supplied = await pipe.receive();
  if (supplied === undefined || !("json" in supplied)) return { rows: 0 };
  // Nothing more is said to it.
  void pipe.receive().then(onOrphaned, onOrphaned);
  await sandbox.makeViews(order.views, (supplied.json as Supply).rows);
  let rows = 0;
  let bytes = 0;
  try {
    const { chunks, ...rest } = await sandbox.answer(sql);
    const counted = async function* () {
      for await (const chunk of chunks) {
        rows += chunk.rows;
        yield chunk;
      }
    };
    for await (const piece of encode({ ...rest, chunks: counted() }, format)) {
      bytes += piece.length;
      if (bytes > query_limits.answer_bytes) throw tooLong();
      await pipe.send({ bytes: piece as Uint8Array<ArrayBuffer> });
    }
  } catch (error) {
    throw told(error, plan);
  }
  return { rows };
}

function tooLong(): Fault {
  const size = query_limits.answer_bytes / 1024 / 1024;
  return new Fault("too_large", `the answer is longer than ${size} MiB: ask for less, or LIMIT`);
}

function reportOf(error: unknown): Report {
  const { code, message } = error instanceof Fault ? error : told(error, undefined);
  return { fault: { code, message } };
}

/** What the library says is wrong, as a refusal; of a name that is none, what there is. */
function told(error: unknown, plan: Plan | undefined): Fault {
  if (error instanceof Fault) return error;
  const [first] = String(error instanceof Error ? error.message : error).split("\n");
  const message = first.replace(/^[A-Z]\w+( \w+)* Error: /, "");
  if (/^Out of Memory/i.test(first)) {
    const most = query_limits.memory_mb;
    return new Fault("too_large", `the query takes more than ${most} MiB of memory: ask for less`);
  }
  const name = missingColumn(message);
  const views = [...new Set(plan?.reads.map(({ view }) => view))];
  if (name === undefined || views.length === 0) return new Fault("invalid", message);
  const near = nearest(name, views.flatMap(({ columns }) => columns.map((it) => it.name)));
  const lists = views.map((view) =>
    `${view.name} has ${
      view.columns.map((it) => it.name)
        .join(", ")
    }`
  );
  return new Fault(
    "invalid",
    `there is no column ${name}${near ? `; meant ${near}?` : ""}; ${lists.join("; ")}`,
  );
}

function missingColumn(message: string): string | undefined {
  return /Referenced column "([^"]+)" not found/.exec(message)?.[1] ??
    /does not have a column named "([^"]+)"/.exec(message)?.[1];
}

/** What a question wants of each view, by the values that its bounds have. */
export function wantsOf(sandbox: Sandbox, { reads, columns }: Plan): Promise<Wanted[]> {
  return inTurn(
    [...Map.groupBy(reads, ({ view }) => view)],
    ([view, reads]) => wantedOf(sandbox, { view, reads, columns }),
  );
}

type Reading = {
  readonly view: ViewShape;
  readonly reads: readonly Read[];
  readonly columns: Plan["columns"];
};

/** What all places together that read a view want of it. */
async function wantedOf(
  sandbox: Sandbox,
  { view, reads, columns }: Reading,
): Promise<Wanted> {
  const named = view.columns.map(({ name }) => name)
    .filter((name) => columns === undefined || columns.has(name.toLowerCase()));
  const bounds = await inTurn(reads, async ({ conditions }) => ({
    from: await timesOf(sandbox, { view, conditions, is: "from" }),
    to: await timesOf(sandbox, { view, conditions, is: "to" }),
    words: wordsOf(conditions),
  }));
  const all = <T>(of: (bound: typeof bounds[number]) => Readonly<Record<string, T>>) =>
    Object.keys(of(bounds[0])).filter((name) => bounds.every((it) => Object.hasOwn(of(it), name)));
  const each = (
    side: "from" | "to",
    pick: (a: string, b: string) => string,
  ) =>
    Object.fromEntries(
      all((it) => it[side]).map((name) => [name, bounds.map((it) => it[side][name]).reduce(pick)]),
    );
  return {
    view: view.name,
    columns: named.length > 0 ? named : [view.columns[0].name],
    from: each("from", (a, b) => a < b ? a : b),
    to: each("to", (a, b) => a > b ? a : b),
    words: Object.fromEntries(
      all((it) => it.words)
        .map((name) => [name, [...new Set(bounds.flatMap((it) => it.words[name]))]]),
    ),
  };
}

/** The narrowest bound on each column of times; ISO 8601 of one form, so that texts compare. */
async function timesOf(
  sandbox: Sandbox,
  { view, conditions, is }: Pick<Reading, "view"> & {
    readonly conditions: readonly Bound[];
    readonly is: "from" | "to";
  },
): Promise<Readonly<Record<string, string>>> {
  const times: Record<string, string> = {};
  for (const condition of conditions) {
    if (condition.is !== is) continue;
    const { kind } = view.columns.find(({ name }) => name === condition.column)!;
    const time = await sandbox.timeOf(condition.value, kind);
    const known = times[condition.column];
    if (time === undefined) continue;
    const isNarrower = known === undefined || (is === "from" ? time > known : time < known);
    if (isNarrower) times[condition.column] = time;
  }
  return times;
}

/** The texts that each column can have. */
function wordsOf(conditions: readonly Bound[]): Readonly<Record<string, readonly string[]>> {
  const words: Record<string, readonly string[]> = {};
  for (const condition of conditions) {
    if (condition.is !== "one") continue;
    const known = words[condition.column];
    words[condition.column] = known?.filter((it) => condition.texts.includes(it)) ??
      condition.texts;
  }
  return words;
}

/** One after the other: a connection runs one statement at a time. */
async function inTurn<A, B>(all: readonly A[], work: (one: A) => Promise<B>): Promise<B[]> {
  const done: B[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}
