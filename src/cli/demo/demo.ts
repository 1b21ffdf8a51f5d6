// `demo`: runs a simulated plant without any configuration and prints commands to try on it.
import { type Command, InvalidArgumentError } from "commander";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { Demo } from "../../engine/demo/demo.ts";
import { type DemoStory, newStory } from "../../engine/demo/story.ts";
import type { Service } from "../../engine/service/service.ts";
import type { Settings } from "../../model/setting.ts";
import { browserOrigin, linkUrl } from "../../model/access/session.ts";
import type { Scope } from "../../model/access/token.ts";
import { replaceFile, sizeOf } from "../../store/folder.ts";
import type { Context } from "../frame/context.ts";
import { exit_codes, type ExitCode } from "../frame/exit.ts";
import { requireGround, serve } from "../service/serve.ts";
import { runEdge } from "./edge.ts";
import { fillDemo } from "./fill.ts";
import type { Project } from "../../model/plant/plant.ts";

type Flags = { readonly [name in "edge" | "once"]?: true };
type Options = Flags & { readonly seed: number; readonly days: number };

const day_us = 86_400_000_000;

/** Adds `demo`. */
export function addDemoCommand(program: Command, context: Context): void {
  program.command("demo").description("run a solar plant to try the service with")
    .option("--once", "simulate the history, print a summary and stop")
    .option("--edge", "devices, a gateway that reads them, and a centre that it forwards to")
    .option("--seed <number>", "select another simulation", wholeNumber(0, 2 ** 31), 1)
    .option("--days <number>", "days of history", wholeNumber(1, 366), 30)
    .addHelpText("after", "\nKeeps nothing without --data-dir; settings: wattkeeper --help")
    .action(async (options: Options) => context.exit(await runDemo(context, options)));
}

async function runDemo(context: Context, options: Options): Promise<ExitCode> {
  const { effects } = context;
  const { settings, temporary } = await demoSettings(context, options);
  try {
    await requireGround(settings);
    const story = await tellStory(settings.data_dir, { effects, options });
    if (options.edge) return await runEdge(context, { settings, story, ...options });
    const service = await context.openService(settings, effects, { on_loss: "refuse" });
    return await runOn(service, { effects, settings, options, story });
  } finally {
    if (temporary) await Deno.remove(settings.data_dir, { recursive: true });
  }
}

/** A quiet log, and a directory and port of its own unless they were named. */
async function demoSettings(
  { resolve }: Context,
  { once }: Options,
): Promise<{ settings: Settings; temporary: boolean }> {
  const { settings, origins } = await resolve();
  const temporary = origins.data_dir === "default";
  const changed = {
    ...(temporary ? { data_dir: await Deno.makeTempDir({ prefix: "wattkeeper-demo-" }) } : {}),
    ...(once && origins.port === "default" ? { port: 0 } : {}),
    ...(origins.log_level === "default" ? { log_level: "warning" as const } : {}),
    ...(origins.log_format === "default" ? { log_format: "pretty" as const } : {}),
  };
  return { settings: { ...settings, ...changed }, temporary };
}

type Telling = { readonly effects: Effects; readonly options: Options };

/** The story of a directory that holds a demo already, or a new one. */
async function tellStory(data_dir: string, { effects, options }: Telling): Promise<DemoStory> {
  const path = storyPath(data_dir);
  if (await sizeOf(path) > 0) return JSON.parse(await Deno.readTextFile(path)) as DemoStory;
  if (await sizeOf(`${data_dir}/wattkeeper.duckdb`) > 0) {
    throw new Fault("conflict", `${data_dir} holds another plant's data: name another --data-dir`);
  }
  const story = newStory(options, effects.now_us());
  await Deno.mkdir(data_dir, { recursive: true });
  await keepStory(data_dir, story);
  return story;
}

const keepStory = (data_dir: string, story: DemoStory) =>
  replaceFile(storyPath(data_dir), JSON.stringify(story));

function storyPath(data_dir: string): string {
  return `${data_dir}/demo.json`;
}

type Stage = {
  readonly effects: Effects;
  readonly settings: Settings;
  readonly options: Options;
  readonly story: DemoStory;
};

/** Answers from the start, while the history is made; then the plant lives on. */
async function runOn(service: Service, stage: Stage): Promise<ExitCode> {
  const { effects, settings, story } = stage;
  const keep = (told: DemoStory) => keepStory(settings.data_dir, told);
  const demo = await Demo.open(service.parts, story, keep);
  const user_id = await demo.operator();
  // Browsers of this machine are let in as the operator.
  service.parts.sign_in.demo_user_id = user_id;
  service.parts.fill.show("simulate", { done: 0, left: 24 * stage.options.days });
  const stop = new AbortController();
  const { signal } = stop;
  let lived: Promise<boolean> = Promise.resolve(true);
  const onReady = (address: string) => {
    lived = live({ ...stage, address, demo, service, user_id, stop });
    lived.catch(() => stop.abort());
  };
  const close = async () => {
    effects.err("Stopping …\n");
    stop.abort();
    await lived.catch(() => {}); // Why it failed is told once all is closed.
    await service.close();
  };
  const code = await serve({ ...service, close }, { settings, effects, onReady, signal });
  if (code !== exit_codes.ok) return code;
  return await lived ? code : exit_codes.failed;
}

type Life = Stage & {
  /** Where the service answers already. */
  readonly address: string;
  readonly demo: Demo;
  readonly service: Service;
  readonly user_id: string;
  readonly stop: AbortController;
};

/** From the history to the end. Gives whether the questions, where there are any, are answered. */
async function live(life: Life): Promise<boolean> {
  const { effects, options, story, address, demo, service, stop: { signal } } = life;
  const begin_ms = effects.monotonic_ms();
  if (!options.once) effects.err(`Open ${address}\nSign in: ${await makeLink(life)}\n`);
  const tell = (what: string) => {
    effects.err(`${what} after ${((effects.monotonic_ms() - begin_ms) / 1000).toFixed(1)} s\n`);
  };
  const onLastDay = () => tell("the last day answers");
  await fillDemo(demo, { parts: service.parts, effects, signal, onLastDay });
  if (signal.aborted) return true;
  tell("ready");
  const now_us = effects.now_us();
  const days = Math.round((now_us - story.from_us) / day_us);
  const shown = { address, project: demo.project, now_us, days };
  const guide: Guide = { ...shown, link: await makeLink(life), ...await makeTokens(life) };
  const living = demo.live(signal);
  try {
    if (options.once) return await askDemo(effects, guide).finally(() => life.stop.abort());
    effects.out(guideText(guide));
    return true;
  } finally {
    await living;
  }
}

/** A link that signs a browser in as the operator, in place of the one before. */
async function makeLink({ service, settings, address, user_id }: Life): Promise<string> {
  const { code } = await service.parts.sign_in.makeLink({ user_id, token_id: null });
  return linkUrl(browserOrigin(settings, address), code);
}

async function makeTokens({ demo, service, user_id }: Life) {
  const scopes = ["read", "operate", "manage"] as const;
  return {
    token: await makeToken(demo, service, { scopes: ["read", "query"] }),
    operator_token: await makeToken(demo, service, { scopes, user_id }),
  };
}

async function makeToken(
  { project }: Demo,
  { parts }: Service,
  may: { readonly scopes: readonly Scope[]; readonly user_id?: string },
): Promise<string> {
  const { token } = await parts.access.create({
    name: "demo",
    organization_id: project.organization_id,
    project_ids: [project.id],
    ...may,
    expires_at: null,
  });
  return token;
}

function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`give a whole number from ${minimum} to ${maximum}`);
  };
}

/** What the commands need to reach the demo; `days` is how much of the past it has. */
type Guide = {
  readonly address: string;
  /** Signs a browser in, once. */
  readonly link: string;
  readonly token: string;
  /** Of the demo's operator, who acts on alarms. */
  readonly operator_token: string;
  readonly project: Project;
  readonly now_us: number;
  readonly days: number;
};

/** The text for a person. */
function guideText(guide: Guide): string {
  const { address, link, token, project } = guide;
  const by_plant = { project_ids: project.id, group_by: "project_id", format: "csv" };
  const inverters = exampleUrl(guide, { format: "csv" });
  const curl = (title: string, url: string) =>
    `curl: ${title}\n  curl -s -H "Authorization: Bearer ${token}" \\\n    "${url}"\n`;
  const month = { project_ids: project.id, time_interval: "OneMonth", format: "csv" };
  return `
A 20 MW solar plant with a battery is at ${address}
Sign in:     ${link}
Read token:  ${token}
Project:     ${project.id}
Reference:   ${address}/docs

${curl("the plant's days, with the matched index and its coverage", exampleUrl(guide, by_plant))}
${curl("each inverter's availability", daysUrl(guide, "availability", month))}
${curl("the plant's losses", daysUrl(guide, "losses", by_plant))}
${
    curl(
      "the states of the inverters, with their evidence",
      daysUrl(guide, "availability/timeline", {
        ...{ project_id: project.id, format: "csv" },
      }) + "&state=forced_outage&state=partial_capability&state=scheduled_maintenance",
    )
  }
${curl("today's forecast for the meter", forecastUrl(guide, { format: "csv" }))}
${curl("what happened to counters, as a replacement", countersUrl(guide))}
${curl("the sensors that are silent or stuck now", healthUrl(guide))}
${curl("the alarms that are active now", alarmsUrl(guide, { active: "true" }))}
${curl("the feed of all alarm events", alarmsUrl(guide, { limit: "100" }, "/events"))}
${curl("the same as a live stream, until Ctrl-C", alarmsUrl(guide, {}, "/stream"))}
curl: claim an alarm as the demo's operator; put its occurrence_id in place of ID
  curl -s -X POST -H "Authorization: Bearer ${guide.operator_token}" \\
    -H "Content-Type: application/json" -d '{}' "${alarmsUrl(guide, {}, "/ID/claim")}"

${curl("the issues with their work orders", issuesUrl(guide))}
curl: open an issue from an alarm
  curl -s -X POST -H "Authorization: Bearer ${guide.operator_token}" \\
    -H "Content-Type: application/json" -d '{"from":{"alarm":"ID"}}' "${issuesUrl(guide)}"

pandas: each inverter's days, with the matched index and its coverage
  python3 -c 'import pandas as pd; print(pd.read_csv(
    "${inverters}",
    storage_options={"Authorization": "Bearer ${token}"}))'

polars: each inverter's hours, as Arrow
  python3 -c 'import polars as pl, urllib.request as u; print(pl.read_ipc_stream(u.urlopen(
    u.Request("${exampleUrl(guide, { time_interval: "OneHour" })}",
    headers={"Authorization": "Bearer ${token}"})).read()))'

Excel, Power BI: Get Data > Blank Query > Advanced Editor; sign in with Basic, the token as password
  let Rows = Csv.Document(Web.Contents("${inverters}"), [Delimiter = ",", Encoding = 65001])
  in Table.PromoteHeaders(Rows)
`;
}

/** Asks each question once, prints a line for it, and gives whether all were answered. */
async function askDemo(effects: Effects, guide: Guide): Promise<boolean> {
  let all = true;
  for (const question of questionsOf(guide)) {
    const begin_ms = effects.monotonic_ms();
    const flaw = await flawOf(effects, { token: guide.token, ...question });
    const took = `${(effects.monotonic_ms() - begin_ms).toFixed(0)} ms`;
    effects.out(`${flaw === undefined ? "ok    " : "FAILED"} ${question.name} (${took})\n`);
    if (flaw !== undefined) effects.out(`       ${flaw}\n`);
    all &&= flaw === undefined;
  }
  return all;
}

/** One question: what it is about, its request, and the status of a right answer (200). */
type Question = {
  readonly name: string;
  readonly url: string;
  readonly accept?: string;
  readonly token?: string;
  readonly status?: number;
};

async function flawOf(effects: Effects, question: Question): Promise<string | undefined> {
  const { url, accept, token, status = 200 } = question;
  const headers = { authorization: `Bearer ${token}`, ...(accept ? { accept } : {}) };
  const response = await effects.request(new Request(url, { headers }));
  const { byteLength } = await response.arrayBuffer();
  if (response.status !== status) return `status ${response.status}, ${status} was expected`;
  return byteLength === 0 ? "the answer is empty" : undefined;
}

/** The service in its formats, then what it says of the plant. */
function questionsOf(guide: Guide): readonly Question[] {
  const { address, project } = guide;
  const plant = { project_ids: project.id, group_by: "project_id", format: "json" };
  const timeline = { project_id: project.id, limit: "100000", format: "json" };
  const hours = exampleUrl(guide, { time_interval: "OneHour" });
  const arrow = "application/vnd.apache.arrow.stream";
  return [
    { name: "the service is ready", url: `${address}/readyz` },
    { name: "each inverter's hours, as an Arrow stream", url: hours, accept: arrow },
    { name: "the signals of the last hour, as NDJSON", url: signalsUrl(guide) },
    {
      name: "an unknown token is refused",
      url: exampleUrl(guide, {}),
      token: "wk_unknown",
      status: 401,
    },
    { name: "the plant's days against their model", url: exampleUrl(guide, plant) },
    {
      name: "each inverter's days against its model",
      url: exampleUrl(guide, { format: "json" }),
    },
    {
      name: "the plant's availability",
      url: daysUrl(guide, "availability", { ...plant, time_interval: "Full" }),
    },
    { name: "the states of its inverters", url: daysUrl(guide, "availability/timeline", timeline) },
    { name: "its alarms", url: alarmsUrl(guide, { limit: "1000" }) },
    { name: "its issues with their work orders", url: issuesUrl(guide) },
    { name: "the plant's losses by day", url: daysUrl(guide, "losses", plant) },
    { name: "today's forecast for the meter", url: forecastUrl(guide, { format: "json" }) },
  ];
}

type Query = Readonly<Record<string, string>>;

/** Today on the plant's wall clock. */
function todayOf({ project, now_us }: Guide): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(now_us / 1000))
    .toZonedDateTimeISO(project.timezone).toPlainDate();
}

/** The address of an endpoint's answer for all of the demo's days; `query` changes the question. */
function daysUrl(guide: Guide, path: string, query: Query): string {
  const today = todayOf(guide);
  const search = new URLSearchParams({
    dt_start: today.subtract({ days: guide.days }).toString(),
    dt_end: today.toString(),
    ...query,
  });
  return `${guide.address}/platform/v1/${path}?${search}`;
}

/** The address of the inverters' daily power and matched index; `query` changes the question. */
function exampleUrl(guide: Guide, query: Query): string {
  return daysUrl(guide, "performance-v2", {
    project_ids: guide.project.id,
    component: "inverter",
    component_measure: "active_power",
    time_interval: "OneDay",
    include: "matched",
    ...query,
  });
}

/** The address of what the meter is forecast to read today, by hour. */
function forecastUrl(guide: Guide, query: Query): string {
  return exampleUrl(guide, {
    dt_start: todayOf(guide).toString(),
    component: "meter",
    time_interval: "OneHour",
    include: "forecast",
    use_solar_bounds: "false",
    ...query,
  });
}

/** The address of the plant's alarms, or of what belongs to them; `query` asks further. */
function alarmsUrl({ address, project }: Guide, query: Query, path = ""): string {
  const search = new URLSearchParams({ project_id: project.id, ...query });
  return `${address}/platform/v1/alarms${path}?${search}`;
}

/** The address of the plant's issues. */
function issuesUrl({ address, project }: Guide): string {
  return `${address}/platform/v1/issues?project_id=${project.id}`;
}

/** The address of what happened to the plant's counters. */
function countersUrl({ address, project }: Guide): string {
  return `${address}/platform/v1/counters/resets?project_id=${project.id}`;
}

/** The address of the sensors that can't be relied on now. */
function healthUrl({ address, project }: Guide): string {
  return `${address}/platform/v1/sensors/health?project_id=${project.id}`;
}

/** The address of what was sent in the last hour. */
function signalsUrl({ address, project, now_us }: Guide): string {
  const [from, to] = [now_us - 3_600_000_000, now_us].map((us) =>
    new Date(us / 1000).toISOString()
  );
  const query = { project_id: project.id, from, to, lane: "raw_signal", format: "ndjson" };
  return `${address}/platform/v1/signals?${new URLSearchParams(query)}`;
}
