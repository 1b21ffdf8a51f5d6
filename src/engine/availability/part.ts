// Inverters of projects in several shards of a fleet: what each says, and how it is put together.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import type { Answer } from "../../model/data/chunk.ts";
import { answer_limits } from "../../model/data/limits.ts";
import type { Database } from "../../store/database.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { checkSize } from "../core/answer_size.ts";
import { askAll, markOf, type PartAnswer, type PartSource, requireMark } from "../core/gather.ts";
import { under, within } from "../performance/combined.ts";
import { cellsIn, mergeGroups } from "../performance/gathered.ts";
import { range_form, type ToldGroup, toldGroups } from "../performance/part.ts";
import {
  type Account,
  bucketStarts,
  countInverters,
  emptySums,
  type InclusiveRequest,
  invertersFrom,
  isPlain,
  readSums,
  selectInverters,
} from "./answer.ts";

/** What is asked of a shard: its groups, or the sums of some cells. */
export const inverter_question = z.discriminatedUnion("want", [
  z.strictObject({ want: z.literal("groups"), range: range_form }),
  z.strictObject({
    want: z.literal("sums"),
    range: range_form,
    /** The mark of the groups that the shard told. */
    groups: z.string(),
    from: z.int().min(0),
    to: z.int(),
    /** Whether each cell of the whole answer is one day of one inverter. */
    is_plain: z.boolean(),
  }),
]);

export type InverterQuestion = z.output<typeof inverter_question>;

type ToldInverters = ToldGroup & { readonly total: number; readonly known: number };

/** What a shard says to a question. */
export async function inverterPart(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  account: Account,
  { request, question, signal }: {
    readonly request: InclusiveRequest;
    readonly question: InverterQuestion;
    readonly signal: AbortSignal;
  },
): Promise<PartAnswer> {
  const selection = selectInverters(catalog, request);
  const { groups } = selection;
  const { total, known } = countInverters(selection);
  const told = toldGroups(catalog, groups)
    .map((group, i): ToldInverters => ({ ...group, total: total[i], known: known[i] }));
  if (question.want === "groups") return { facts: told };
  requireMark(told, question.groups);
  checkSize(request, groups.length);
  const { from, to, is_plain } = question;
  const room = to - from;
  const is_slab = room === 1 || room * groups.length <= answer_limits.cells_per_slab;
  if (room < 1 || to > bucketStarts(request).length || !is_slab) {
    throw new Fault("invalid", "these positions are no slab of the answer");
  }
  const positions = { from, to };
  const sums = await database.read(
    (connection) => readSums(connection, account, { request, selection, positions, is_plain }),
    signal,
  );
  const size = room * groups.length;
  return { numbers: Object.assign({}, ...sums.map((it, i) => under(`${i}`, it.sums(size)))) };
}

/** As `inverterAnswer`, of projects whose inverters are in several shards. */
export async function gatheredInverters(
  { catalog }: { readonly catalog: Catalog },
  account: Account,
  { request, gather, signal }: {
    readonly request: InclusiveRequest;
    readonly gather: PartSource;
    readonly signal: AbortSignal;
  },
): Promise<Answer> {
  const ask = (question: InverterQuestion) => question;
  const { range } = request;
  const groups_asked = ask({ want: "groups", range });
  const told = await askAll<readonly ToldInverters[]>(gather, groups_asked, signal);
  const { groups, places } = mergeGroups(catalog, told);
  const marks = told.map(markOf);
  const total = new Int32Array(groups.length);
  const known = new Int32Array(groups.length);
  told.forEach((of_shard, shard) =>
    of_shard.forEach((group, i) => {
      total[places[shard][i]] += group.total;
      known[places[shard][i]] += group.known;
    })
  );
  const counts = { total, known };
  const is_plain = isPlain(request, counts);
  const width = groups.length;
  return invertersFrom(account, request, {
    ...{ groups, counts },
    readSums: async (positions) => {
      const sums = { want: "sums", range, is_plain, ...positions } as const;
      const answers: readonly PartAnswer[] = await Promise.all(
        places.map((of_shard, i) =>
          of_shard.length === 0 ? {} : gather.ask(i, ask({ ...sums, groups: marks[i] }), signal)
        ),
      );
      const size = (positions.to - positions.from) * width;
      const all = emptySums(account, { size, is_plain });
      answers.forEach(({ numbers }, shard) => {
        if (numbers === undefined) return;
        const cells = cellsIn(positions, { of_shard: places[shard], width });
        all.forEach((it, i) => it.take(within(`${i}`, numbers), cells));
      });
      return all;
    },
  });
}
