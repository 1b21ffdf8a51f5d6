// Fills a demo with its history, and shows how far that and all that follows from it is.
import type { Effects } from "../../base/effects.ts";
import { aborted, inTime } from "../../base/in_time.ts";
import type { Loop } from "../../engine/core/loop.ts";
import type { Demo } from "../../engine/demo/demo.ts";
import type { FillJob } from "../../engine/service/fill.ts";
import type { Service } from "../../engine/service/service.ts";
import { listStaleDays } from "../../store/availability/availability.ts";
import { showProgress } from "../frame/progress.ts";

/** How often the progress of a job is looked at. */
const look_ms = 500;
const day_us = 86_400_000_000;

/** What a demo is filled in: its service, and what ends it early. */
type Filling = Pick<Service, "parts"> & {
  readonly effects: Effects;
  readonly signal: AbortSignal;
  /** Told once the last day answers; what is before it follows. */
  readonly onLastDay?: () => void;
};

/**
 * Stores the history of a demo, has it worked out, and says how far that is, on the terminal and to
 * the screens. Ends early when `signal` aborts: what is stored and worked out by then stays.
 */
export async function fillDemo(demo: Demo, filling: Filling): Promise<void> {
  const { parts, effects, signal, onLastDay } = filling;
  const letFollow = holdBack(parts.roll.loop, signal);
  const progress = await showProgress(effects, { label: "Simulating the plant", total: 100 });
  await demo.fill(({ done, total, rows }) => {
    parts.fill.show("simulate", {
      done: done / Math.max(1, total),
      left: Math.ceil((total - done) / 60),
    });
    progress.update(100 * done / Math.max(1, total), `${(rows / 1e6).toFixed(1)} million samples`);
  }, signal);
  progress.stop();
  for (const job of jobsOf(parts)) {
    if (!signal.aborted) await watch(job, filling);
    if (job.name !== "last_day") continue;
    letFollow();
    if (!signal.aborted) onLastDay?.();
  }
  if (signal.aborted) return;
  await demo.openWork();
  parts.fill.end();
}

/** Keeps a loop, which would begin with the oldest, from its turns; what it gives ends that. */
function holdBack(loop: Loop, signal: AbortSignal): () => void {
  const { goesAfter } = loop;
  const over = new AbortController();
  loop.goesAfter = (stop) => aborted(stop, signal, over.signal);
  return () => {
    loop.goesAfter = goesAfter;
    over.abort();
  };
}

/** What is done with the history once it is stored. */
type Job = {
  readonly name: FillJob;
  readonly label: string;
  readonly work: () => Promise<void>;
  /** How much is left to do, in `unit`. */
  readonly left: () => Promise<number> | number;
  readonly unit: string;
};

function jobsOf({ roll, availability, minute_evaluator, database, effects }: Service["parts"]) {
  const yesterday_us = (Math.floor(effects.now_us() / day_us) - 1) * day_us;
  const jobs: readonly Job[] = [
    {
      name: "last_day",
      label: "Rolling up the last day",
      async work() {
        await roll.rollRecent(yesterday_us);
        await availability.settle();
      },
      left: () => roll.state.backlog,
      unit: "samples",
    },
    {
      name: "roll_up",
      label: "Rolling up minutes, quarter-hours and days",
      work: () => roll.settle(),
      left: () => roll.state.backlog,
      unit: "samples",
    },
    {
      name: "availability",
      label: "Working out availability and losses",
      work: () => availability.settle(),
      left: async () => (await database.read(listStaleDays)).length,
      unit: "days",
    },
    {
      name: "rules",
      label: "Evaluating rules on what is rolled up",
      work: () => minute_evaluator.settle(),
      left: () => minute_evaluator.left_minutes,
      unit: "minutes",
    },
  ];
  return jobs;
}

/** Does a job, and shows how far it is. */
async function watch(job: Job, filling: Filling): Promise<void> {
  const { effects, signal } = filling;
  const over = new AbortController();
  await Promise.all([
    inTime(job.work(), { wait_ms: Infinity, effects, signal }).finally(() => over.abort()),
    showUntil(over.signal, job, filling),
  ]);
}

async function showUntil(
  over: AbortSignal,
  { name, label, left, unit }: Job,
  { parts: { evaluator, fill }, effects }: Filling,
): Promise<void> {
  const progress = await showProgress(effects, { label, total: 100 });
  const begin_ms = effects.monotonic_ms();
  for (let most = 1, done = 0; !over.aborted;) {
    // The plant sends nothing meanwhile: its silence is no alarm.
    evaluator.awaitSources();
    const now = await left();
    most = Math.max(most, now);
    // More can turn up while it is done; what is shown never goes back.
    done = Math.max(done, 1 - now / most);
    fill.show(name, { done, left: now });
    // What is taken up last is still worked on when nothing is left to take.
    const percent = Math.min(99, 100 * done);
    const seconds = Math.floor((effects.monotonic_ms() - begin_ms) / 1000);
    const what = now > 0 ? `${now} ${unit} left` : `the last ${unit} are worked on`;
    if (most > 1) progress.update(percent, `${what} after ${seconds} s`);
    await effects.sleep(look_ms, over);
  }
  progress.update(100, "");
  progress.stop();
}
