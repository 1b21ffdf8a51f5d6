// Two tenants with everything that views show, and questions in SQL on behalf of each.
import { equal } from "node:assert/strict";
import type { Scope } from "../../../src/model/access/token.ts";
import { openWork } from "../work/work_help.ts";

/** What marks each value of the other tenant that is a text, and the least of its numbers. */
export const foreign = { word: "zzz", number: 770_000 } as const;

/** An answer: its status and its text. */
export type Told = { readonly status: number; readonly text: string };

/** What is said beside the question. */
type More = {
  readonly as?: string;
  readonly format?: string;
  readonly projects?: readonly string[];
  readonly timezone?: string;
  readonly signal?: AbortSignal;
};

/** Plants of two organizations with samples, alarms and work; `mine` reads the first alone. */
export async function openQueries() {
  const data_dir = await Deno.makeTempDir();
  const work = await openWork({ settings: { data_dir } });
  await fill(work);
  const { fetch, project, other, services, clock, token } = work;
  const tokenOf = async (organization_id: string | null, scopes: readonly Scope[]) => {
    const rest = { name: "t", project_ids: null, expires_at: null };
    return await services.access.create({ ...rest, organization_id, scopes });
  };
  clock.advance(10_000);
  await work.settle();
  const { token: mine, id: my_token_id } = await tokenOf(project.organization_id, [
    ...["query", "read"] as const,
  ]);
  const { token: theirs } = await tokenOf(other.organization_id, ["query", "read"]);
  const ask = async (sql: string, { as = mine, signal, ...more }: More = {}): Promise<Told> => {
    const response = await fetch("/platform/v1/query", {
      method: "POST",
      headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
      body: JSON.stringify({ sql, format: "csv", ...more }),
      signal,
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    ...work,
    ...{ data_dir, mine, theirs, my_token_id, token, tokenOf, ask },
    /** The rows of an answer. */
    rows: async (sql: string, more?: More): Promise<Record<string, unknown>[]> => {
      const { status, text } = await ask(sql, { ...more, format: "json" });
      equal(status, 200, text);
      return JSON.parse(text);
    },
    close: async () => {
      await work.close();
      await Deno.remove(data_dir, { recursive: true });
    },
  };
}

/** Gives both tenants samples, an alarm and an issue. */
async function fill(
  { fetch, project, other, services, at, send, raise }: Awaited<ReturnType<typeof openWork>>,
): Promise<void> {
  const ingest = async (project_id: string, lines: readonly object[]) => {
    const response = await fetch(`/ingest/v1/signals?project_id=${project_id}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: lines.map((line) => JSON.stringify(line)).join("\n"),
    });
    equal(response.status, 200, await response.clone().text());
    await response.body?.cancel();
  };
  const samples = (tag: string, first: number) =>
    Array.from({ length: 90 }, (_, i) => ({
      tag,
      ts: `2026-06-01T${10 + Math.floor(i / 60)}:${String(i % 60).padStart(2, "0")}:00Z`,
      value: first + i,
    }));
  await ingest(project.id, [...samples("a.p", 100), ...samples("b.t", 20)]);
  await ingest(other.id, [
    ...samples("a.p", foreign.number),
    ...samples(`b.${foreign.word}`, foreign.number),
    { tag: `${foreign.word}.word`, ts: "2026-06-01T11:00:00Z", value: foreign.word },
  ]);
  await raise({ occurrence_id: "mine-1" }, {
    occurrence_id: `${foreign.word}-1`,
    project_no: other.project_no,
    site_no: 2,
    rule_name: foreign.word,
    source_tag: foreign.word,
  });
  for (const [id, name] of [[project.id, "Fan"], [other.id, foreign.word]]) {
    const device = services.catalog.devices.find(({ site_no }) =>
      services.catalog.site(site_no)!.project_no === services.catalog.project(id)!.project_no
    )!;
    const devices = [{ device_id: device.id }];
    const body = { name, effective_from: "2026-06-01T10:00:00Z", devices };
    const { status, data } = await send("POST", at("issues", id), { body });
    equal(status, 201, JSON.stringify(data));
  }
}
