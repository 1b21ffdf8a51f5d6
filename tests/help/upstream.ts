// A gateway and its centre in memory: two whole services, and a line between them in a test's hand.
import type { Scope } from "../../src/model/access/token.ts";
import assert from "node:assert/strict";
import type { Settings } from "../../src/model/setting.ts";
import { queryRows } from "./query.ts";
import { type TestService, testService } from "./service.ts";

/** What answers the gateway's requests, by default the centre. */
export type Answerer = (request: Request) => Promise<Response>;

/** A gateway whose `p1` is the centre's, with a project of its own, `p2`, where asked for. */
export type Forwarding = {
  readonly gateway: TestService;
  readonly centre: TestService;
  /** Takes the place of the line until it is put back. */
  line: Answerer;
  /** The centre as it answers. */
  readonly direct: Answerer;
  /** One turn of the gateway; gives when it looks again, in milliseconds. */
  readonly turn: () => Promise<number>;
  readonly advance: (ms: number) => void;
  /** Stores rows at the gateway, NDJSON. */
  readonly send: (rows: readonly Row[], lane?: string) => Promise<void>;
  /** Asserts that both sides hold the same rows; gives how many. */
  readonly requireSame: () => Promise<number>;
  readonly close: () => Promise<void>;
};

/** A row as a source sends it. */
export type Row = Readonly<Record<string, string | number | null>>;

const p1 = "INSERT INTO organization VALUES ('o1', 'o1', 'O 1'); " +
  "INSERT INTO project VALUES (1, '{id}', 'o1', 'p1', 'P 1', NULL, 'UTC')";

const noon = "2026-06-01T12:00:00Z";
const both = ["ingest", "sync"] as const;

/** Opens both; the gateway's clock stands at `at`, the centre's too. */
export async function openForwarding(
  { at = noon, settings = {}, centre_settings, centre: known, scopes = both, name = "gateway" }: {
    readonly at?: string;
    /** What its token is called. */
    readonly name?: string;
    readonly settings?: Partial<Settings>;
    readonly centre_settings?: Partial<Settings>;
    /** Another gateway's centre, which closes it. */
    readonly centre?: TestService;
    /** What the gateway may do at the centre. */
    readonly scopes?: readonly Scope[];
  } = {},
): Promise<Forwarding> {
  const centre = known ?? await testService({ at, settings: centre_settings });
  if (known === undefined) await declare(centre, "centre-p1");
  const { token } = await centre.services.access.create({
    ...{ name, organization_id: "o1", project_ids: ["centre-p1"], scopes },
    expires_at: null,
  });
  const direct: Answerer = (request) => centre.answer(request);
  const world = { line: direct };
  // Chance of its own: at one instant both would make the same ids.
  const gateway = await testService({
    seed: 2,
    at,
    settings: { upstream_url: "http://centre.example", upstream_token: token, ...settings },
    request: (request) => world.line(request),
  });
  await declare(gateway, "gateway-p1");
  const never = new AbortController().signal;
  return Object.assign(world, {
    gateway,
    centre,
    direct,
    turn: () => gateway.services.upstream.turn(never),
    advance(ms: number) {
      gateway.clock.advance(ms);
      centre.clock.advance(ms);
    },
    async send(rows: readonly Row[], lane = "signal") {
      const path = `/ingest/v1/signals?project_id=p1&lane=${lane}`;
      const body = rows.map((row) => JSON.stringify(row)).join("\n");
      const headers = { "content-type": "application/x-ndjson" };
      const answer = await gateway.fetch(path, { method: "POST", headers, body });
      const { rejected } = await answer.json();
      assert.deepEqual(rejected, []);
    },
    async requireSame() {
      const [here, there] = [await storedRows(gateway), await storedRows(centre)];
      assert.deepEqual(there, here);
      return here.length;
    },
    async close() {
      await gateway.close();
      if (known === undefined) await centre.close();
    },
  });
}

async function declare({ services }: TestService, id: string): Promise<void> {
  await services.database.write(({ connection }) => connection.script(p1.replace("{id}", id)));
  await services.catalog.reload();
}

/** Every sample and forecast row, by what a source calls it. */
export function storedRows({ services }: TestService): Promise<unknown[]> {
  return services.database.read((connection) =>
    queryRows(
      connection,
      `SELECT lane, sensor_tag, ts::VARCHAR AS ts, '' AS issued_at, value, value_int::VARCHAR
          AS whole, value_str, quality::INTEGER AS quality, status_code::VARCHAR AS status
        FROM sample JOIN tag USING (tag_no)
        UNION ALL
        SELECT 'forecast', sensor_tag, ts::VARCHAR, issued_at::VARCHAR, value, NULL, NULL, NULL,
          NULL
        FROM forecast JOIN tag USING (tag_no)
        ORDER BY ALL`,
    )
  );
}
