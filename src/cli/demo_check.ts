// Asks the running demo a few questions over HTTP and says whether the answers make sense.
import type { Effects } from "../base/effects.ts";
import { exampleUrl, type Guide } from "./demo_guide.ts";

/** One question: what it is about, the request, and what is wrong with its answer, if anything. */
type Check = {
  readonly name: string;
  readonly url: string;
  readonly accept?: string;
  readonly token?: string;
  readonly status?: number;
  readonly flaw: (body: Uint8Array) => string | undefined;
};

type DayRow = { readonly sensor_value: number | null; readonly performance_index: number | null };

/** Runs every check, prints a line for each, and gives whether all were fine. */
export async function checkDemo(effects: Effects, guide: Guide): Promise<boolean> {
  let fine = true;
  for (const check of checks(guide)) {
    const begin_ms = effects.monotonic_ms();
    const flaw = await flawOf(effects, { token: guide.token, ...check });
    const took = `${(effects.monotonic_ms() - begin_ms).toFixed(0)} ms`;
    effects.out(`${flaw === undefined ? "ok    " : "FAILED"} ${check.name} (${took})\n`);
    if (flaw !== undefined) effects.out(`       ${flaw}\n`);
    fine &&= flaw === undefined;
  }
  return fine;
}

async function flawOf(effects: Effects, check: Check): Promise<string | undefined> {
  const headers = {
    authorization: `Bearer ${check.token}`,
    ...(check.accept ? { accept: check.accept } : {}),
  };
  const response = await effects.request(new Request(check.url, { headers }));
  const body = new Uint8Array(await response.arrayBuffer());
  const wanted = check.status ?? 200;
  if (response.status !== wanted) return `status ${response.status}, ${wanted} was expected`;
  return check.flaw(body);
}

function checks(guide: Guide): readonly Check[] {
  const { address, project, now_us } = guide;
  const iso = (us: number) => new Date(us / 1000).toISOString();
  const hour_us = 3_600_000_000;
  const signals = new URLSearchParams({
    project_id: project.id,
    from: iso(now_us - hour_us),
    to: iso(now_us),
    lane: "raw_signal",
    format: "ndjson",
  });
  return [
    { name: "the service is ready", url: `${address}/readyz`, flaw: () => undefined },
    {
      name: "the plant's days, as JSON",
      url: exampleUrl(guide, { group_by: "project_id", format: "json" }),
      flaw: (body) => daysFlaw(JSON.parse(new TextDecoder().decode(body)), guide.days),
    },
    {
      name: "each inverter's hours, as an Arrow stream",
      url: exampleUrl(guide, { time_interval: "OneHour" }),
      accept: "application/vnd.apache.arrow.stream",
      flaw: (body) => body.length < 10_000 || body[0] !== 0xff ? "no Arrow stream" : undefined,
    },
    {
      name: "the signals of the last hour, as NDJSON",
      url: `${address}/platform/v1/signals?${signals}`,
      flaw: (body) => body.length < 10_000 ? `only ${body.length} bytes` : undefined,
    },
    {
      name: "an unknown token is refused",
      url: exampleUrl(guide, {}),
      token: "wk_unknown",
      status: 401,
      flaw: () => undefined,
    },
  ];
}

function daysFlaw(rows: readonly DayRow[], days: number): string | undefined {
  const sunny = rows.filter(({ sensor_value }) => (sensor_value ?? 0) > 0);
  if (sunny.length < days) return `${sunny.length} days with power, ${days} were expected`;
  const strange = sunny.find(({ performance_index: index }) =>
    index !== null && !(index > 0.1 && index < 1.1)
  );
  return strange && `a performance index of ${strange.performance_index}`;
}
