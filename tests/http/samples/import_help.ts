// A service that takes files to import, with two tenants, for the tests of imports.
import { equal } from "node:assert/strict";
import type { Scope } from "../../../src/model/access/token.ts";
import { queryRows } from "../../help/query.ts";
import { type TestService, testService } from "../../help/service.ts";

const projects = [
  "(1, 'p1', 'o1', 'north', 'N', NULL, 'America/Denver')",
  "(2, 'p2', 'o2', 'south', 'S', NULL, 'UTC')",
];

export const german = "Datum;Uhrzeit;WR1 P (kW);Status\n" +
  "01.05.2026;10:00;1.234,50;Ein\n01.05.2026;10:05;2,25;Aus\n";

/** An answer's import. */
export type Shown = {
  readonly import_id: string;
  readonly state: string;
  readonly detail: string | null;
  readonly refusal: { readonly name: string; readonly values: Record<string, string> } | null;
  readonly asked: readonly string[];
  // deno-lint-ignore no-explicit-any
  readonly check: any;
  readonly report:
    | {
      readonly accepted: number;
      readonly corrected: number | null;
      readonly duplicates: number;
      readonly rejected_count: number;
      readonly whole: boolean;
    }
    | null;
};

type Door = TestService & {
  readonly dir: string;
  readonly call: (method: string, path: string, more?: Call) => Promise<Response>;
  /** Sends a file and gives it. */
  readonly send: (content: string | Uint8Array, more?: Call) => Promise<Shown>;
  /** Has something done with a file, and gives it once that is done. */
  readonly work: (id: string, what: "check" | "import", settings?: object) => Promise<Shown>;
  /** Those at the service, without the note beside each. */
  readonly files: () => Promise<readonly string[]>;
};
type Call = {
  readonly project?: string;
  readonly token?: string;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Opens the service; p1 is of the organization o1, p2 of o2. */
export async function withDoor(work: (door: Door) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  const service = await testService({ at: "2026-06-01T12:00:00Z", settings: { data_dir: dir } });
  try {
    const { database, catalog } = service.services;
    await database.write(({ connection }) =>
      connection.script(`INSERT INTO project VALUES ${projects.join(", ")}`)
    );
    await catalog.reload();
    const call: Door["call"] = (method, path, { project = "p1", token, body, headers } = {}) =>
      service.fetch(
        `/ingest/v1/imports${path}${path.includes("?") ? "&" : "?"}project_id=${project}`,
        {
          ...{ method, body },
          headers: { ...token ? { authorization: `Bearer ${token}` } : {}, ...headers },
        },
      );
    await work({
      ...{ ...service, dir, call },
      async send(content, more) {
        const answer = await call("POST", "?name=a.csv", { ...more, body: content as BodyInit });
        equal(answer.status, 201);
        return await answer.json();
      },
      async work(id, what, settings = {}) {
        const begun = await call("POST", `/${id}/${what}`, {
          body: JSON.stringify(settings),
          headers: { "content-type": "application/json" },
        });
        equal(begun.status, 202, await begun.text());
        await service.services.imports.settle();
        return await (await call("GET", `/${id}`)).json();
      },
      async files() {
        const found = await Array.fromAsync(Deno.readDir(`${dir}/imports`)).catch(() => []);
        return found.map(({ name }) => name).filter((it) => !it.endsWith(".json"));
      },
    });
  } finally {
    await service.services.imports.close();
    await service.close();
    await Deno.remove(dir, { recursive: true });
  }
}

/** What is stored of the tags that `where` means. */
export function stored({ services }: TestService, where = "TRUE") {
  return services.database.read((connection) =>
    queryRows<{ n: number; texts: number; total: number; tags: number; from: number; to: number }>(
      connection,
      "SELECT count(value) AS n, count(value_str) AS texts, sum(value) AS total, " +
        "count(DISTINCT tag_no) AS tags, min(ts)::DOUBLE AS from, max(ts)::DOUBLE AS to " +
        `FROM sample JOIN tag USING (tag_no) WHERE ${where}`,
    )
  ).then(([row]) => row);
}

/** A token of an organization. */
export async function tokenOf(
  { services }: TestService,
  organization_id: string,
  scopes: readonly Scope[] = ["ingest"],
): Promise<string> {
  const { token } = await services.access.create({
    ...{ name: "tool", organization_id, expires_at: null, project_ids: null, scopes },
  });
  return token;
}
