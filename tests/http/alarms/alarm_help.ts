// Alarms of two sites of one project and of another project, and ways to read them over HTTP.
import { equal } from "node:assert/strict";
import type { Fault } from "../../../src/base/fault.ts";
import type { EventDraft, Occurrence, OccurrenceDraft } from "../../../src/model/alarms/alarm.ts";
import { draftOf, eventOf } from "../../help/alarm.ts";
import type { Database } from "../../../src/store/database.ts";
import { testService } from "../../help/service.ts";

export type Json = Record<string, unknown>;

type Draft = Partial<OccurrenceDraft> & { readonly occurrence_id: string };

/** An event as the feed has it. */
export type FeedRow = {
  readonly event_id: string;
  readonly svc_occurrence_ref: string;
  readonly synced_at: string;
  readonly occurrence_id: string;
};

const siteOf = (project: string, key: string) => ({
  version: 1,
  organization: { key: `org-${project}`, name: "O" },
  project: { key: project, name: "P", timezone: "UTC" },
  site: { key, name: "S", latitude: 40, longitude: -3 },
  devices: [
    { key: `${key}-plant`, name: "Plant", type: "system" },
    { key: `${key}-inv`, name: "Inverter 1", type: "inverter", parent: `${key}-plant` },
  ],
});

/** Sites `east` (number 1) and `west` (2) of project 1, and `north` of project 2. */
export async function openAlarms() {
  const service = await testService({ at: "2026-06-01T12:00:30Z" });
  const { services, fetch } = service;
  for (const [project, key] of [["p", "east"], ["p", "west"], ["q", "north"]]) {
    const response = await fetch(`/admin/v1/sites/${key}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(siteOf(project, key)),
    });
    equal(response.status, 200, await response.text());
  }
  const [project, other] = services.catalog.projects;
  const get = async (path: string) => {
    const mark = path.includes("?") ? "&" : "?";
    const response = await fetch(`/platform/v1${path}${mark}project_id=${project.id}`);
    return { status: response.status, data: await response.json(), headers: response.headers };
  };
  /** Each page from `path` on, by the links alone. */
  async function* pages<Row>(path: string): AsyncGenerator<Row[], void> {
    for (let next: string | undefined = `/platform/v1${path}&project_id=${project.id}`; next;) {
      const response = await fetch(next);
      equal(response.status, 200);
      yield await response.json();
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
    }
  }
  return {
    ...service,
    ...{ project, other, get, pages },
    raise: (draft: Draft, events: readonly EventDraft[] = [eventOf("raised")]) =>
      services.alarms.write((changes) => Promise.resolve(changes.raise(draftOf(draft), events))),
    change: (
      { occurrence_no }: Pick<Occurrence, "occurrence_no">,
      said: Partial<Occurrence>,
      events: readonly EventDraft[] = [eventOf("commented")],
    ) =>
      services.alarms.write(async (changes) => {
        await changes.load({ nos: [occurrence_no] });
        changes.change({ ...changes.get(occurrence_no)!, ...said }, events);
      }),
  };
}

/** The paths of the flaws of a refusal. */
export function flawsOf({ errors }: { readonly errors: Fault["flaws"] }): readonly string[] {
  return errors.map(({ path }) => path);
}

/** Counts the reads of a database: gives how many there were since it was asked last. */
export function countReads(database: Database): () => number {
  let reads = 0;
  const { read: plain } = database;
  database.read = (...asked) => {
    reads++;
    return plain.apply(database, asked) as never;
  };
  return () => {
    const counted = reads;
    reads = 0;
    return counted;
  };
}
