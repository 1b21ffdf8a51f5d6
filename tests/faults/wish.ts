// What the client of a campaign sends: samples, alarms, issues with a photo; each by its number.

/** One request, the same whenever it is made. */
export type Wish = {
  readonly kind: "samples" | "alarm" | "issue";
  readonly path: string;
  readonly type: string;
  readonly key?: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** What it stores, as it is counted: samples, an occurrence's id, an issue's name. */
  readonly names: readonly string[];
  /** Is added to the issue. */
  readonly photo?: Uint8Array<ArrayBuffer>;
};

/** Samples of one request. */
const rows = 20;
/** The first requests' samples are a day apart, so that some are old; all others' are of late. */
const days = 60;
const day_ms = 86_400_000;
const step_ms = 600_000;
/** How old the first samples are, so that the last ones are not of the future. */
export const age_ms = 66 * day_ms;
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Number `n`: seven of ten are samples. */
export function makeWish(n: number, { from_ms }: { readonly from_ms: number }): Wish {
  if (n % 10 === 3) return alarmOf(n, from_ms);
  return n % 10 === 6 || n % 10 === 9 ? issueOf(n) : samplesOf(n, from_ms);
}

/** When the samples of request `n` begin, from the first ones on. */
function momentOf(n: number): number {
  return n < days ? n * day_ms : days * day_ms + (n - days) * step_ms;
}

/** A sample as it is counted. */
export function sampleName(tag: string, ts: string, value: number): string {
  return `${tag} ${Date.parse(ts)} ${value}`;
}

function samplesOf(n: number, from_ms: number): Wish {
  const lines = Array.from({ length: rows }, (_, i) => ({
    tag: `t${i % 7}`,
    ts: new Date(from_ms + momentOf(n) + i * 1000).toISOString(),
    value: n,
  }));
  return {
    kind: "samples",
    path: "/ingest/v1/signals",
    type: "application/x-ndjson",
    body: lines.map((line) => JSON.stringify(line)).join("\n"),
    names: lines.map(({ tag, ts, value }) => sampleName(tag, ts, value)),
  };
}

function alarmOf(n: number, from_ms: number): Wish {
  const at = new Date(from_ms + n * 1000).toISOString();
  const alarm = {
    ...{ occurrence_id: `a${n}`, source: "scada", site: "s", rule_name: "R", kind: "point" },
    ...{ severity: "critical", status: "open", raised_value: 1, raised_at: at, updated_at: at },
    resolution_policy: "require_both",
    source_tag: `t${n % 7}`,
  };
  return {
    kind: "alarm",
    path: "/ingest/v1/alarms",
    type: "application/x-ndjson",
    body: JSON.stringify(alarm),
    names: [alarm.occurrence_id],
  };
}

function issueOf(n: number): Wish {
  const name = `Issue ${n}`;
  return {
    kind: "issue",
    path: "/platform/v1/issues",
    type: "application/json",
    key: `issue-${n}`,
    body: JSON.stringify({ name }),
    names: [name],
    photo: new Uint8Array([...png, ...new TextEncoder().encode(name.repeat(50))]),
  };
}
