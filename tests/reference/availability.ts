// The verdicts of this service on days of flawed data, for tests/reference/availability.py: reads
// scenarios as JSON from the standard input, prints a verdict for each.
import { systemEffects } from "../../src/base/effects.ts";
import { testService } from "../help/service.ts";

type Scenario = {
  readonly name: string;
  /** Those whose verdict is asked, and over which instants, in ISO 8601. */
  readonly inverters: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly now: string;
  readonly site: { readonly site: { readonly key: string } };
  readonly samples: string;
  readonly expected: string;
};

/** The share of the time that is unavailable and known, weighted by the inverters alike. */
async function verdictOf({ inverters, from, to, now, site, samples, expected }: Scenario) {
  const service = await testService({ at: now });
  const send = async (method: string, path: string, type: string, body: string) => {
    const response = await service.fetch(path, { method, headers: { "content-type": type }, body });
    if (response.status !== 200) throw new Error(await response.text());
    return await response.json();
  };
  await send("PUT", `/admin/v1/sites/${site.site.key}`, "application/json", JSON.stringify(site));
  const [{ id }] = service.services.catalog.projects;
  for (const [lane, rows] of Object.entries({ signal: samples, model: expected })) {
    const path = `/ingest/v1/signals?project_id=${id}&lane=${lane}`;
    const { rejected } = await send("POST", path, "application/x-ndjson", rows);
    if (rejected.length > 0) throw new Error(JSON.stringify(rejected[0]));
  }
  await service.settle();
  const day = from.slice(0, 10);
  const response = await service.fetch(
    `/platform/v1/availability/timeline?project_id=${id}&dt_start=${day}&dt_end=${day}&format=json`,
  );
  const spans = await response.json();
  await service.close();
  const sums = { light: 0, known: 0, lost: 0 };
  for (const span of spans) {
    if (!inverters.includes(span.device_name)) continue;
    const start = Math.max(Date.parse(span.from), Date.parse(from));
    const length = Math.max(0, Math.min(Date.parse(span.to), Date.parse(to)) - start);
    sums.light += length;
    if (span.unavailable === null) continue;
    sums.known += length;
    sums.lost += length * span.unavailable;
  }
  return { known: sums.known / sums.light, lost: sums.lost / sums.known };
}

if (import.meta.main) {
  const scenarios: Scenario[] = JSON.parse(await new Response(Deno.stdin.readable).text());
  const verdicts: Record<string, object> = {};
  for (const scenario of scenarios) verdicts[scenario.name] = await verdictOf(scenario);
  systemEffects().out(JSON.stringify(verdicts) + "\n");
}
