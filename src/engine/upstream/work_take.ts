// At a centre: takes what a gateway changed of issues and work orders, and tells what is new here.
import type { Effects } from "../../base/effects.ts";
import type { Project } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { fitting, type WorkExchange, type WorkExchanged } from "../../model/upstream/work.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { findChange, readChangesAfter } from "../../store/work/change.ts";
import { readGivenNumbers } from "../../store/work/number.ts";
import type { Users } from "../access/user.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { takeChanges } from "../work/take.ts";
import type { Work } from "../work/work.ts";

type TakeParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly work: Work;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** One exchange with a gateway, once what it told is on the disk. */
export async function exchangeWork(
  parts: TakeParts,
  said: WorkExchange,
  project: Project,
): Promise<WorkExchanged> {
  await parts.work.share(project);
  const refused = said.changes.length === 0
    ? []
    : await parts.work.write((changes) =>
      takeChanges(changes, said.changes, { ...parts, project, as: "centre" })
    );
  return await parts.database.read((connection) =>
    connection.transaction(async () => ({
      refused: [...refused],
      ...await tell(connection, said, project),
    }))
  );
}

/** What is new here since the gateway heard last. */
async function tell(
  connection: Connection,
  { heard_no, heard_id, sent_id, changes: sent }: WorkExchange,
  { project_no }: Project,
): Promise<Omit<WorkExchanged, "refused">> {
  const noOf = (id: string) => findChange(connection, { project_no, id });
  // A centre that was restored from an older backup counts on from there: all is told again.
  const isKnown = heard_id !== null && await noOf(heard_id) === heard_no;
  const limit = upstream_limits.work_changes;
  const after_no = isKnown ? heard_no : 0;
  const read = await readChangesAfter(connection, { project_no, after_no, limit });
  const rows = fitting(read);
  const owners = new Set(rows.map(({ owner_id }) => owner_id));
  for (const it of sent) owners.add(String(Object(it).owner_id));
  const last = rows.at(-1);
  return {
    lacks: sent_id !== null && await noOf(sent_id) === undefined,
    changes: rows.map(({ body }) => JSON.parse(body)),
    numbers: await readGivenNumbers(connection, { project_no, ids: [...owners] }),
    next_no: last?.change_no ?? after_no,
    next_id: last?.id ?? (isKnown ? heard_id : null),
    is_more: rows.length < read.length || read.length === limit,
  };
}
