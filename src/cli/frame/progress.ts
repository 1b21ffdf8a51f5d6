// Shows how far a long job is: a bar on a terminal, elsewhere a line every few seconds.
import type { Effects } from "../../base/effects.ts";

/** A job's progress as it is shown. */
export type Progress = {
  /** `done` of the total; `note` is a few words such as a rate. */
  readonly update: (done: number, note: string) => void;
  /** Ends the display. */
  readonly stop: () => void;
};

/** Parts of the whole at which a line is written where there is no terminal. */
const steps = 10;
/** A line is also written when none was for so long. */
const silence_ms = 3_000;

type Shown = Pick<Effects, "err" | "columns" | "monotonic_ms">;

/** Begins to show a job called `label` of `total` units. */
export async function showProgress(
  effects: Shown,
  { label, total }: { readonly label: string; readonly total: number },
): Promise<Progress> {
  return effects.columns() > 0
    ? await barOf(effects, { label, total })
    : linesOf(effects, { label, total });
}

type Job = { readonly label: string; readonly total: number };

async function barOf({ err, columns }: Shown, { label, total }: Job) {
  const { SingleBar } = await import("cli-progress");
  const stream = { write: err, isTTY: true, columns: columns() } as unknown;
  const bar = new SingleBar({
    stream: stream as NodeJS.WritableStream,
    format: `${label} {bar} {percentage} %  {note}`,
    barsize: 30,
    hideCursor: true,
    stopOnComplete: false,
  });
  bar.start(total, 0, { note: "" });
  return {
    update: (done: number, note: string) => bar.update(done, { note }),
    stop: () => bar.stop(),
  };
}

function linesOf({ err, monotonic_ms }: Shown, { label, total }: Job) {
  let shown = 0;
  let shown_ms = monotonic_ms();
  return {
    update(done: number, note: string) {
      const share = done / Math.max(1, total);
      const step = Math.floor(share * steps);
      const now_ms = monotonic_ms();
      if (step <= shown && now_ms - shown_ms < silence_ms) return;
      [shown, shown_ms] = [Math.max(shown, step), now_ms];
      err(`${label} ${Math.floor(100 * share)} %  ${note}\n`);
    },
    stop: () => {},
  };
}
