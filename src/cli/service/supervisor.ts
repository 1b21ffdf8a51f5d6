// Tells a supervisor, such as systemd, how the service is (sd_notify).
import type { Effects } from "../../base/effects.ts";
import { inTime } from "../../base/in_time.ts";
import { service_limits } from "../../engine/service/limits.ts";
import type { Attended, Busy } from "../../engine/service/service.ts";

type Told = Pick<Effects, "notify" | "sleep">;

/**
 * Does work that may take longer than the supervisor waits for a start or a stop: it is told again
 * and again to wait on, for as long as this process can still tell it.
 */
export async function prolonged<T>(
  { notify, sleep }: Told,
  state: string,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const tell = async () => {
    while (!over.signal.aborted) {
      await notify(`${state}\nEXTEND_TIMEOUT_USEC=${3000 * service_limits.beat_ms}`);
      await sleep(service_limits.beat_ms, over.signal);
    }
  };
  const telling = tell();
  try {
    return await work();
  } finally {
    over.abort();
    await telling;
  }
}

/**
 * Says that the service is ready and what it does; then, until `stop`, that it is alive, at half of
 * the interval that the supervisor asks for. A service whose database does not answer in that time,
 * or one of whose loops has ended, says nothing: the supervisor starts it again.
 */
export async function attend(
  parts: Attended,
  effects: Told & Pick<Effects, "env">,
  stop: AbortSignal,
): Promise<void> {
  const { WATCHDOG_USEC, NOTIFY_SOCKET } = effects.env();
  if (NOTIFY_SOCKET === undefined) return;
  const watched_ms = Number(WATCHDOG_USEC ?? Infinity) / 2000;
  const wait_ms = Math.min(service_limits.beat_ms, watched_ms);
  await effects.notify(`READY=1\n${statusOf(parts)}`);
  while (!stop.aborted) {
    await effects.sleep(wait_ms, stop);
    if (stop.aborted) return;
    let is_alive = false;
    const looking = isAlive(parts).then((found) => is_alive = found);
    await inTime(looking, { wait_ms: watched_ms, effects, signal: stop });
    if (is_alive) await effects.notify(`WATCHDOG=1\n${statusOf(parts)}`);
  }
}

async function isAlive(
  { database, loops }: Pick<Attended, "database" | "loops">,
): Promise<boolean> {
  return !loops.some(({ has_failed }) => has_failed) && await database.answers();
}

/** What it does beside answering. */
function statusOf(attended: Busy | { readonly status: () => string }): string {
  if ("status" in attended) return `STATUS=${attended.status()}`;
  const { roll, fill } = attended;
  const { backlog, stale_days } = roll.state;
  if (fill.state && fill.state.job !== null) {
    return `STATUS=filling with its history: ${Math.floor(fill.state.percent)} %`;
  }
  if (stale_days > 0) return `STATUS=rolling up the past again: ${stale_days} days of tags left`;
  return `STATUS=serving, ${backlog} samples to roll up`;
}
