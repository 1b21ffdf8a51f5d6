// Keeps the demo's plant in a service: its site, its history, and then a live second every second.
import type { Effects } from "../../base/effects.ts";
import { assert } from "../../base/assert.ts";
import { Fault } from "../../base/fault.ts";
import type { Project } from "../../model/plant/plant.ts";
import { newestSample } from "../../store/samples/sample.ts";
import { solarDay } from "./incident.ts";
import { noteMaintenance } from "./maintenance.ts";
import { demo_project_key, demoSite } from "./site.ts";
import type { DemoStory } from "./story.ts";
import { type DemoBatch, DemoStream } from "./stream.ts";
import { openWork } from "./work.ts";
import type { Parts } from "../service/service.ts";
import { applySite } from "../site/site.ts";

/** How far the history is: `done` and `total` in minutes, samples stored so far. */
export type DemoProgress = {
  readonly done: number;
  readonly total: number;
  readonly rows: number;
};

const operator = {
  organization: "demo",
  email: "operator@demo.example",
  first_name: "Robin",
  last_name: "Vega",
};

const minute_us = 60_000_000;
const second_ms = 1000;
/** Batches on their way to the database while the next one is made. */
const ahead = 3;

/** The demo's plant in one service. */
export class Demo {
  readonly #parts: Parts;
  readonly #story: DemoStory;
  readonly #stream: DemoStream;
  /** The solar day up to which the operator's words are put down. */
  #noted_day = NaN;
  readonly project: Project;

  private constructor(parts: Parts, story: DemoStory, project: Project) {
    this.#parts = parts;
    this.#story = story;
    this.#stream = new DemoStream(story);
    this.project = project;
  }

  /** Applies the site file. */
  static async open(parts: Parts, story: DemoStory): Promise<Demo> {
    await applySite(parts, demoSite(), { dry_run: false });
    const project = parts.catalog.projects.find((it) => it.key === demo_project_key);
    assert(project, "the site file's project was just applied");
    return new Demo(parts, story, project);
  }

  /** Stores what is missing of the minutes until now. Gives the samples stored. */
  async fill(onProgress: (progress: DemoProgress) => void): Promise<number> {
    const { database, effects } = this.#parts;
    const newest_us = await database.read(newestSample);
    const to_us = Math.floor(effects.now_us() / minute_us) * minute_us;
    const from_us = Math.max(this.#story.from_us, nextMinute(newest_us));
    // What is stored already is lived through again, for the plant to be as it was.
    for (const _ of this.#stream.history(from_us));
    const total = (to_us - from_us) / minute_us;
    const waiting: Promise<number>[] = [];
    let rows = 0;
    for (const batch of this.#stream.history(to_us)) {
      this.#parts.watch.awaitSources();
      waiting.push(this.#store(batch));
      if (waiting.length < ahead) continue;
      rows += await waiting.shift()!;
      onProgress({ done: (this.#stream.next_us - from_us) / minute_us, total, rows });
    }
    await this.#note();
    return (await Promise.all(waiting)).reduce((sum, stored) => sum + stored, rows);
  }

  /** The id of the plant's operator, made the first time. */
  async operator(): Promise<string> {
    const { users } = this.#parts;
    const [known] = users.named(operator.email);
    return (known ?? await users.create(operator)).id;
  }

  /** Opens an issue with a work order, unless there is one. */
  async openWork(): Promise<void> {
    await openWork(this.#parts, { project: this.project, user_id: await this.operator() });
  }

  /** Stores each second as it passes, until `signal` aborts. */
  async live(signal: AbortSignal): Promise<void> {
    const { effects, log } = this.#parts;
    while (!signal.aborted) {
      try {
        for (const batch of this.#stream.live(effects.now_us())) await this.#store(batch);
        await this.#note();
      } catch (error) {
        log.error("the demo's samples were not stored: {error}", { error });
      }
      await effects.sleep(untilNextSecond(effects), signal);
    }
  }

  /** Once a day, what the operator has to say of it. */
  async #note(): Promise<void> {
    const until_us = this.#parts.effects.now_us();
    const day = solarDay(until_us / 1_000_000);
    if (day === this.#noted_day) return;
    await noteMaintenance(this.#parts, this.#story, { project: this.project, until_us });
    this.#noted_day = day;
  }

  async #store(batch: DemoBatch): Promise<number> {
    const decoded = { batches: [batch], rejected: [], rejected_count: 0 };
    const answer = await this.#parts.ingest.add(this.project, decoded);
    const [first] = answer.rejected;
    if (first) throw new Fault("invalid", `the demo's own sample was rejected: ${first.reason}`);
    return answer.accepted;
  }
}

function nextMinute(us: number | undefined): number {
  return us === undefined ? 0 : Math.floor(us / minute_us + 1) * minute_us;
}

function untilNextSecond({ now_us }: Pick<Effects, "now_us">): number {
  return second_ms - now_us() / 1000 % second_ms;
}
