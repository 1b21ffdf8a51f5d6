// Shows how far a long job is: a bar on a terminal, a line now and then elsewhere.
import { SingleBar } from "cli-progress";
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

/** Begins to show a job called `label` of `total` units. */
export function showProgress(
  effects: Pick<Effects, "err" | "columns">,
  { label, total }: { readonly label: string; readonly total: number },
): Progress {
  return effects.columns() > 0
    ? barOf(effects, { label, total })
    : linesOf(effects, { label, total });
}

type Job = { readonly label: string; readonly total: number };

function barOf({ err, columns }: Pick<Effects, "err" | "columns">, { label, total }: Job) {
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

function linesOf({ err }: Pick<Effects, "err">, { label, total }: Job) {
  let shown = 0;
  return {
    update(done: number, note: string) {
      const step = Math.floor(done / Math.max(1, total) * steps);
      if (step <= shown) return;
      shown = step;
      err(`${label} ${Math.floor(step * 100 / steps)} %  ${note}\n`);
    },
    stop: () => {},
  };
}
