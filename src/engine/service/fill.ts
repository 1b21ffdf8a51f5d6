// How far the history is with which a service is filled: only the demo's is, while it answers.

/** What is done, in this order, each with its share of the time. */
export const fill_jobs = {
  simulate: 30,
  last_day: 10,
  roll_up: 40,
  availability: 15,
  rules: 5,
} as const;
export type FillJob = keyof typeof fill_jobs;

/** How far it is. */
export type FillState = {
  /** What is done now; null once all is done. */
  readonly job: FillJob | null;
  /** Of all jobs, by their shares. */
  readonly percent: number;
  /** What is left of this job: hours of history, samples, days, or minutes. */
  readonly left: number;
};

/** What those who look at the service are told meanwhile. */
export class Fill {
  /** Undefined where there is nothing to fill. */
  state: FillState | undefined;

  /** Says that `done` (0 to 1) of a job is done; the whole never goes back. */
  show(job: FillJob, { done, left }: { readonly done: number; readonly left: number }): void {
    const jobs = Object.entries(fill_jobs);
    const before = jobs.slice(0, jobs.findIndex(([name]) => name === job))
      .reduce((sum, [, share]) => sum + share, 0);
    const percent = Math.max(this.state?.percent ?? 0, before + done * fill_jobs[job]);
    this.state = { job, percent, left };
  }

  /** Says that all is done. */
  end(): void {
    this.state = { job: null, percent: 100, left: 0 };
  }
}
