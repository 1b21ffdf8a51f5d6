// What the service tells of itself, as lines with a verdict each.

/** The answer of the service. */
export type Status = {
  readonly version: string;
  /** The clock of the service. */
  readonly now: string;
  readonly not_ready: string | null;
  readonly memory_mb: number;
  /** Gauges: values by label. */
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number>>>>;
};

/** What is looked at. */
export type CheckName =
  | "ready"
  | "backlog"
  | "history"
  | "ingest"
  | "loops"
  | "rules"
  | "webhooks"
  | "disk"
  | "memory"
  | "clock"
  | "backup";

/** A line: `value` is undefined where it is not known. */
export type Check = {
  readonly name: CheckName;
  readonly value: number | undefined;
  readonly is_wrong: boolean;
};

/** Bounds beyond which something is wrong. */
const bounds = {
  /** Ten minutes' samples of a thousand tags by the minute. */
  backlog_rows: 10_000,
  /** As the service's own doctor asks for. */
  disk_bytes: 1024 ** 3,
  /** The process can grow to about three times what the database may have. */
  memory_share: 3,
  clock_s: 60,
  backup_s: 8 * 86_400,
} as const;

/** The service's lines; `now_ms` is the reader's clock. */
export function checksOf(status: Status, now_ms: number): Check[] {
  const one = (name: string): number | undefined => status.metrics[name]?.[""];
  const { metrics } = status;
  const backlog = one("roll_backlog_rows");
  const disk = one("disk_free_bytes");
  const memory = metrics.process_memory_bytes?.resident;
  const clock_s = clockError(status, now_ms);
  const backup_s = one("backup_time_seconds");
  const backup_age = backup_s === undefined ? undefined : now_ms / 1000 - backup_s;
  const failures = failingLoops(status).length;
  const dead = metrics.webhook_deliveries?.dead ?? 0;
  const refused = metrics.ingest_rows?.failed ?? 0;
  const suspended = one("rules_suspended") ?? 0;
  const memory_bound = bounds.memory_share * status.memory_mb * 1024 ** 2;
  return [
    { name: "ready", value: Number(status.not_ready === null), is_wrong: !!status.not_ready },
    { name: "backlog", value: backlog, is_wrong: (backlog ?? 0) > bounds.backlog_rows },
    { name: "history", value: one("roll_history_days"), is_wrong: false },
    { name: "ingest", value: refused, is_wrong: refused > 0 },
    { name: "loops", value: failures, is_wrong: failures > 0 },
    { name: "rules", value: suspended, is_wrong: suspended > 0 },
    { name: "webhooks", value: dead, is_wrong: dead > 0 },
    { name: "disk", value: disk, is_wrong: disk !== undefined && disk < bounds.disk_bytes },
    { name: "memory", value: memory, is_wrong: (memory ?? 0) > memory_bound },
    { name: "clock", value: clock_s, is_wrong: Math.abs(clock_s) > bounds.clock_s },
    {
      name: "backup",
      value: backup_age,
      is_wrong: backup_age === undefined || backup_age > bounds.backup_s,
    },
  ];
}

/** The background loops that fail, with how often in a row, the worst first. */
export function failingLoops({ metrics }: Status): (readonly [name: string, failures: number])[] {
  return Object.entries(metrics.loop_failures ?? {}).filter(([, failures]) => failures > 0)
    .toSorted(([, a], [, b]) => b - a);
}

/**
 * How far the service's clock is ahead of the reader's in seconds, or by how much the time stamps
 * of what is stored are ahead of it, where that is more.
 */
function clockError({ now, metrics }: Status, now_ms: number): number {
  const ahead_s = (Date.parse(now) - now_ms) / 1000;
  const stamps_s = metrics.stamps_ahead_seconds?.[""] ?? 0;
  return Math.abs(stamps_s) > Math.abs(ahead_s) ? stamps_s : ahead_s;
}
