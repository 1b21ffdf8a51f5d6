// Reads issues within a write, with everything that a snapshot of them shows.
import type { Issue } from "../../model/work/issue.ts";
import type { WorkOrder } from "../../model/work/work_order.ts";
import type { Connection } from "../../store/connection.ts";
import { readIssues } from "../../store/work/issue.ts";
import { readWorkOrders } from "../../store/work/work_order.ts";
import { type AlarmLink, readLinks } from "../../store/work/record.ts";
import type { Held } from "./identity_map.ts";

/** Issues with what hangs on them. */
export type LoadedWork = {
  /** Those that they were merged into too. */
  readonly issues: readonly Issue[];
  readonly orders: readonly WorkOrder[];
  /** By the issue's `issue_no`. */
  readonly links: ReadonlyMap<number, AlarmLink[]>;
};

/** Reads issues by their numbers, but those that are known. */
export async function loadWork(
  connection: Connection,
  issue_nos: readonly number[],
  { known }: { readonly known: Pick<Held<Issue>, "has"> },
): Promise<LoadedWork> {
  const issues: Issue[] = [];
  const nos = new Set<number>();
  for (let wanted = issue_nos; wanted.length > 0;) {
    const unknown = wanted.filter((no) => !known.has(no) && !nos.has(no));
    for (const no of unknown) nos.add(no);
    const read = await readIssues(connection, unknown);
    issues.push(...read);
    wanted = read.flatMap(({ merged_into }) => merged_into ?? []);
  }
  const links = await readLinks(connection, [...nos]);
  return {
    issues,
    orders: await readWorkOrders(connection, [...nos]),
    links: Map.groupBy(links, ({ issue_no }) => issue_no),
  };
}
