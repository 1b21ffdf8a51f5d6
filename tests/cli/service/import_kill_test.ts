// A real server, killed in the middle of an import: what is stored is stored, the file stays.
import { deepEqual, equal, ok } from "node:assert/strict";
import { declareProject } from "../../help/client.ts";
import { type Server, startServer } from "../../help/process.ts";

type Shown = {
  readonly import_id: string;
  readonly state: string;
  readonly report: { readonly accepted: number; readonly duplicates: number } | null;
};

const rows = 350_000;

function manyRows(): string {
  const at = Date.UTC(2026, 0, 1);
  const lines = Array.from(
    { length: rows },
    (_, i) => `${new Date(at + i * 1000).toISOString()},${i % 1009}`,
  );
  return `time,p\n${lines.join("\n")}\n`;
}

Deno.test("kill -9 during an import: the next one finds what is stored", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const files = async () =>
    (await Array.fromAsync(Deno.readDir(`${data_dir}/imports`)).catch(() => [])).length;
  const first = await startServer(data_dir);
  const { token, project_id } = await declareProject(first);
  const call = async (server: Server, path: string, init?: RequestInit) => {
    const url = `${server.address}/ingest/v1/imports${path}?project_id=${project_id}`;
    const answer = await fetch(url, { ...init, headers: { authorization: `Bearer ${token}` } });
    ok(answer.ok, await answer.clone().text());
    return await answer.json();
  };
  /** Sends the file and begins its import; then looks until `isEnough`. */
  const run = async (server: Server, isEnough: (shown: Shown) => boolean) => {
    const { import_id } = await call(server, "", { method: "POST", body: manyRows() });
    await call(server, `/${import_id}/import`, { method: "POST" });
    for (;;) {
      const shown: Shown = await call(server, `/${import_id}`);
      if (isEnough(shown)) return shown;
      ok(!["failed", "refused", "cancelled"].includes(shown.state), JSON.stringify(shown));
    }
  };
  const seen = await run(first, ({ report }) => (report?.accepted ?? 0) > 0);
  equal(seen.state, "importing");
  await first.end("SIGKILL");
  equal(await files(), 2);
  const second = await startServer(data_dir);
  const [kept] = (await call(second, "")).imports;
  deepEqual([kept.import_id, kept.state], [seen.import_id, "sent"]);
  await call(second, `/${kept.import_id}/import`, { method: "POST" });
  let shown = await call(second, `/${kept.import_id}`);
  while (shown.state !== "imported") {
    ok(!["failed", "refused", "cancelled"].includes(shown.state), JSON.stringify(shown));
    shown = await call(second, `/${kept.import_id}`);
  }
  const { report } = shown as Shown;
  equal(report!.accepted + report!.duplicates, rows);
  ok(report!.duplicates >= seen.report!.accepted, JSON.stringify(report));
  await second.end("SIGTERM");
  equal(await files(), 0);
});
