// Fills a demo with its history, and shows how far that and all that follows from it is.
import type { Effects } from "../../base/effects.ts";
import type { Demo } from "../../engine/demo/demo.ts";
import type { Service } from "../../engine/service/service.ts";
import { listStaleDays } from "../../store/availability/availability.ts";
import { showProgress } from "../frame/progress.ts";

/** How often the progress of a job is looked at. */
const look_ms = 500;

/** Stores the history of a demo, has it worked out, and says how far that is. */
export async function fillDemo(demo: Demo, { parts }: Service, effects: Effects): Promise<void> {
  const progress = showProgress(effects, { label: "Simulating the plant", total: 100 });
  await demo.fill(({ done, total, rows }) => {
    progress.update(100 * done / total, `${(rows / 1e6).toFixed(1)} million samples`);
  });
  progress.stop();
  for (const job of jobsOf(parts)) await watch(effects, job, parts.evaluator);
  await demo.openWork();
}

/** What is done with the history once it is stored. */
type Job = {
  readonly label: string;
  readonly work: () => Promise<void>;
  /** How much is left to do, in `unit`. */
  readonly left: () => Promise<number> | number;
  readonly unit: string;
};

/** What watches for silence. */
type Sources = Pick<Service["parts"]["evaluator"], "awaitSources">;

function jobsOf({ roll, availability, minute_evaluator, database }: Service["parts"]) {
  const jobs: readonly Job[] = [
    {
      label: "Rolling up minutes, quarter-hours and days",
      work: () => roll.settle(),
      left: () => roll.state.backlog,
      unit: "samples",
    },
    {
      label: "Working out availability and losses",
      work: () => availability.settle(),
      left: async () => (await database.read(listStaleDays)).length,
      unit: "days",
    },
    {
      label: "Evaluating rules on what is rolled up",
      work: () => minute_evaluator.settle(),
      left: () => minute_evaluator.left_minutes,
      unit: "minutes",
    },
  ];
  return jobs;
}

/** Does a job, and shows how far it is. */
async function watch(effects: Effects, job: Job, evaluator: Sources): Promise<void> {
  const over = new AbortController();
  await Promise.all([
    job.work().finally(() => over.abort()),
    showUntil(over.signal, { effects, job, evaluator }),
  ]);
}

async function showUntil(
  over: AbortSignal,
  { effects, evaluator, job: { label, left, unit } }: {
    readonly effects: Effects;
    readonly evaluator: Sources;
    readonly job: Job;
  },
): Promise<void> {
  const progress = showProgress(effects, { label, total: 100 });
  for (let most = 1; !over.aborted;) {
    // The plant sends nothing meanwhile: its silence is no alarm.
    evaluator.awaitSources();
    const now = await left();
    most = Math.max(most, now);
    if (now > 0) progress.update(100 * (1 - now / most), `${now} ${unit} left`);
    await effects.sleep(look_ms, over);
  }
  progress.update(100, "");
  progress.stop();
}
