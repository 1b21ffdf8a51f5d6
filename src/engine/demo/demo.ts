// Keeps the demo's plant in a service: its site, history, live seconds, and its operator's work.
import { assert } from "../../base/assert.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Project } from "../../model/plant/plant.ts";
import { listOccurrences } from "../../store/alarms/alarm.ts";
import { newestSample } from "../../store/samples/sample.ts";
import { listIssues } from "../../store/work/issue.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { addOverride } from "../availability/override.ts";
import type { Parts } from "../service/service.ts";
import { applySite } from "../site/site.ts";
import { createIssue } from "../work/issue_action.ts";
import { createWorkOrder } from "../work/work_order_action.ts";
import type { Incident } from "./incident.ts";
import { solarDay, storyPlace } from "./place.ts";
import { deviceKey } from "./point.ts";
import { rule_names } from "./rule.ts";
import { demoSite } from "./site.ts";
import { type DemoStory, endLive, incidentsUntil } from "./story.ts";
import { type DemoBatch, DemoStream } from "./stream.ts";

/** How far the history is: `done` and `total` in minutes, samples stored so far. */
type DemoProgress = {
  readonly done: number;
  readonly total: number;
  readonly rows: number;
};

const operator = {
  organization: "demo",
  email: "operator@demo.example",
  first_name: "Robin",
  last_name: "Vega",
  scopes: ["read", "operate", "manage"],
};

/** Keeps a story for the next time. */
type KeepStory = (story: DemoStory) => Promise<void>;
type ToldStory = { readonly story: DemoStory; readonly keep: KeepStory };
const forget: KeepStory = () => Promise.resolve();

const minute_us = 60_000_000;
const second_us = 1_000_000;
const second_ms = 1000;
/** Batches on their way to the database while the next one is made. */
const ahead = 3;

/** The demo's plant in one service. */
export class Demo {
  readonly #parts: Parts;
  #story: DemoStory;
  readonly #keep: KeepStory;
  readonly #stream: DemoStream;
  /** The solar day up to which maintenance is noted. */
  #noted_day = NaN;
  readonly project: Project;

  private constructor(parts: Parts, { story, keep }: ToldStory, project: Project) {
    this.#parts = parts;
    this.#story = story;
    this.#keep = keep;
    this.#stream = new DemoStream(story);
    this.project = project;
  }

  /** Applies the site file; `keep` is told how the story goes on. */
  static async open(parts: Parts, story: DemoStory, keep = forget): Promise<Demo> {
    const place = storyPlace(story);
    await applySite(parts, demoSite(place), { dry_run: false });
    const project = parts.catalog.projects.find((it) => it.key === place.key);
    assert(project, "the site file's project was just applied");
    return new Demo(parts, { story, keep }, project);
  }

  /** Stores what is missing of the minutes until now, or `signal`. Gives the samples stored. */
  async fill(
    onProgress: (progress: DemoProgress) => void,
    signal?: AbortSignal,
  ): Promise<number> {
    const { database, effects } = this.#parts;
    const newest_us = await database.read(newestSample);
    const to_us = Math.floor(effects.now_us() / minute_us) * minute_us;
    const from_us = Math.max(this.#story.from_us, nextMinute(newest_us));
    const total = Math.max(0, to_us - from_us) / minute_us;
    onProgress({ done: 0, total, rows: 0 });
    await this.#relive(from_us);
    const waiting: Promise<number>[] = [];
    let rows = 0;
    for (const batch of this.#stream.history(to_us)) {
      this.#parts.evaluator.awaitSources();
      waiting.push(this.#store(batch));
      if (waiting.length < ahead) continue;
      rows += await waiting.shift()!;
      onProgress({ done: (this.#stream.next_us - from_us) / minute_us, total, rows });
      if (signal?.aborted) break;
    }
    await this.#note();
    return (await Promise.all(waiting)).reduce((sum, stored) => sum + stored, rows);
  }

  /** The id of the plant's operator, made the first time. */
  async operator(): Promise<string> {
    const { users } = this.#parts;
    const [known] = users.named(operator.email);
    const { id, scopes } = known ?? await users.create(operator);
    if (scopes.length === 0) await users.allow(id, { scopes: operator.scopes });
    return id;
  }

  /** Opens an issue with a work order, unless there is one. */
  async openWork(): Promise<void> {
    await openWork(this.#parts, { project: this.project, user_id: await this.operator() });
  }

  /** Stores each second as it passes, after the minutes until then, until `signal` aborts. */
  async live(signal: AbortSignal): Promise<void> {
    const { effects, log } = this.#parts;
    let begun = false;
    while (!signal.aborted) {
      try {
        if (!begun) await this.#beginLive();
        begun = true;
        for (const batch of this.#stream.live(effects.now_us())) await this.#store(batch);
        await this.#note();
      } catch (error) {
        log.error("the demo's samples were not stored: {error}", { error });
      }
      await effects.sleep(untilNextSecond(effects), signal);
    }
  }

  /** Lives through again what is stored already, in the same steps, for all to be as it was. */
  async #relive(to_us: number): Promise<void> {
    await this.#tell(endLive(this.#story, to_us));
    for (const { from_us, to_us } of this.#story.live ?? []) {
      for (const _ of this.#stream.history(from_us));
      while (this.#stream.next_us < to_us!) for (const _ of this.#stream.live(to_us! - second_us));
    }
    for (const _ of this.#stream.history(to_us));
  }

  async #beginLive(): Promise<void> {
    await this.fill(() => {});
    const { live = [] } = this.#story;
    await this.#tell({
      ...this.#story,
      live: [...live, { from_us: this.#stream.next_us, to_us: null }],
    });
  }

  async #tell(story: DemoStory): Promise<void> {
    this.#story = story;
    this.#stream.live_spans = story.live ?? [];
    await this.#keep(story);
  }

  /** Notes the maintenance that is due, once a day. */
  async #note(): Promise<void> {
    const until_us = this.#parts.effects.now_us();
    const day = solarDay(storyPlace(this.#story), until_us / 1_000_000);
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

/** The demo's project, and the instant up to whose day is noted. */
type Noting = { readonly project: Project; readonly until_us: number };

/** Notes every maintenance of a story up to the day of `until_us`, unless it is noted already. */
async function noteMaintenance(
  parts: Parts,
  story: DemoStory,
  { project, until_us }: Noting,
): Promise<void> {
  for (const incident of incidentsUntil(story, until_us)) {
    if (incident.kind !== "maintenance") continue;
    try {
      const data = overrideOf(parts, project, incident);
      await addOverride(parts, data, { project, author: "demo" });
    } catch (error) {
      if (!(error instanceof Fault && error.code === "conflict")) throw error;
    }
  }
}

function overrideOf({ catalog }: Parts, project: Project, incident: Incident): object {
  const power = `${deviceKey("INV", incident.target)}.P_AC`;
  const { tag_no } = catalog.findTag(project.project_no, "signal", power)!;
  return {
    hierarchy_ids: catalog.sensorsOfTag(tag_no).map((sensor) => sensor.hierarchy_id),
    state: "scheduled_maintenance",
    from: instantText(incident.from_s * 1_000_000),
    to: instantText(incident.to_s * 1_000_000),
    reason: "Yearly service: filters and fans",
  };
}

/** Opens them in the name of a user; the next time that the demo is filled changes nothing. */
async function openWork(
  parts: Parts,
  { project, user_id }: { readonly project: Project; readonly user_id: string },
): Promise<void> {
  const { project_no } = project;
  const trips = await parts.database.read((it) =>
    listOccurrences(it, { project_no, rule_names: [rule_names.trip] })
  );
  const newest = trips.toSorted((a, b) => b.raised_at - a.raised_at)[0];
  if (newest === undefined || await hasIssues(parts, project)) return;
  const grant: Grant = {
    token_id: "demo",
    name: "demo",
    organization_id: project.organization_id,
    project_ids: [project.id],
    scopes: ["manage"],
    user_id,
  };
  const ask = { project, grant };
  const issue = await createIssue(parts, { from: { alarm: newest.occurrence_id } }, ask);
  await createWorkOrder(parts, {
    issue_id: JSON.parse(issue.body).id,
    title: "Find out what tripped it",
    description: "Read its fault log, look at the DC side, reset it.",
    work_type: "corrective",
    status: "scheduled",
    assigned_to: user_id,
  }, ask);
}

async function hasIssues({ database }: Parts, { project_no }: Project): Promise<boolean> {
  const chunks = await database.read((it) => listIssues(it, { project_no, limit: 1 }));
  return Iterator.from(chunks).some(({ rows }) => rows > 0);
}
