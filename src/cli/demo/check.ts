// Asks the running demo a few questions over HTTP and says whether the answers make sense.
import type { Effects } from "../../base/effects.ts";
import { alarmsOf, type DemoAlarm } from "../../engine/demo/alarm.ts";
import { momentsOf } from "../../engine/demo/story.ts";
import { alarmsUrl, daysUrl, exampleUrl, forecastUrl, type Guide, issuesUrl } from "./guide.ts";
import {
  alarmFlaw,
  availabilityFlaw,
  daysFlaw,
  forecastFlaw,
  issueFlaw,
  lossFlaw,
  timelineFlaw,
} from "./flaw.ts";

/** One question: what it is about, the request, and what is wrong with its answer, if anything. */
type Check = {
  readonly name: string;
  readonly url: string;
  readonly accept?: string;
  readonly token?: string;
  readonly status?: number;
  readonly flaw: (body: Uint8Array) => string | undefined;
};

/** Runs every check, prints a line for each, and gives whether all were fine. */
export async function checkDemo(effects: Effects, guide: Guide): Promise<boolean> {
  let fine = true;
  for (const check of [...plainChecks(guide), ...plantChecks(guide)]) {
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

/** Whether the service answers, in its formats. */
function plainChecks(guide: Guide): readonly Check[] {
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

/** Whether what it says of the plant is what befell it. */
function plantChecks(guide: Guide): readonly Check[] {
  const moments = momentsOf(guide.story, guide.now_us);
  const incidents = new Set(moments.map(({ at_us }) => at_us)).size;
  const alarms = alarmsOf(guide.story, guide.now_us);
  const certain = alarms.filter((alarm) => alarm.certain).length;
  const plant = { project_ids: guide.project.id, group_by: "project_id", format: "json" };
  const timeline = { project_id: guide.project.id, limit: "100000", format: "json" };
  return [
    {
      name: "the plant's days against their model",
      url: exampleUrl(guide, plant),
      flaw: ofRows(daysFlaw(guide.days)),
    },
    {
      name: "the plant's availability",
      url: daysUrl(guide, "availability", { ...plant, time_interval: "Full" }),
      flaw: ofRows(availabilityFlaw),
    },
    {
      name: `the states of inverters in ${incidents} incidents`,
      url: daysUrl(guide, "availability/timeline", timeline),
      flaw: ofRows(timelineFlaw(moments)),
    },
    {
      name: `the ${certain} alarms of what befell the plant, and no others`,
      url: alarmsUrl(guide, { limit: "1000" }),
      flaw: ofRows(alarmFlaw(alarms)),
    },
    {
      name: "the issue of the newest trip, with its work order",
      url: issuesUrl(guide),
      flaw: ofRows(issueFlaw({ had_trip: alarms.some(isCertainTrip) })),
    },
    {
      name: "where the plant's energy went, by day",
      url: daysUrl(guide, "losses", plant),
      flaw: ofRows(lossFlaw),
    },
    {
      name: "today's forecast for the meter",
      url: forecastUrl(guide, { format: "json" }),
      flaw: ofRows(forecastFlaw),
    },
  ];
}

function isCertainTrip({ kind, certain }: DemoAlarm): boolean {
  return kind === "trip" && certain;
}

/** A check of the rows of a JSON array. */
function ofRows<Row>(flaw: (rows: readonly Row[]) => string | undefined): Check["flaw"] {
  return (body) => flaw(JSON.parse(new TextDecoder().decode(body)));
}
