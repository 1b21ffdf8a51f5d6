// `demo`: a whole plant without any configuration, from an empty directory to live answers.
import { type Command, InvalidArgumentError } from "commander";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { Demo } from "../../engine/demo/demo.ts";
import type { DemoStory } from "../../engine/demo/story.ts";
import type { Service } from "../../engine/service/service.ts";
import type { Settings } from "../../model/setting.ts";
import type { Scope } from "../../model/access/token.ts";
import { replaceFile, sizeOf } from "../../store/folder.ts";
import type { Context } from "../frame/context.ts";
import { askDemo, type Guide, guideText } from "./guide.ts";
import { exit_codes, type ExitCode } from "../frame/exit.ts";
import { showProgress } from "../frame/progress.ts";
import { serve } from "../service/serve.ts";

type Options = { readonly once?: true; readonly seed: number; readonly days: number };

const minute_us = 60_000_000;
const day_us = 86_400_000_000;

/** Adds `demo`. */
export function addDemoCommand(program: Command, context: Context): void {
  program.command("demo").description("run a solar plant to try the service with")
    .option("--once", "simulate the history, print a summary and stop")
    .option("--seed <number>", "select another simulation", wholeNumber(0, 2 ** 31), 1)
    .option("--days <number>", "days of history", wholeNumber(1, 366), 30)
    .action(async (options: Options) => context.exit(await runDemo(context, options)));
}

async function runDemo(context: Context, options: Options): Promise<ExitCode> {
  const { effects } = context;
  const { settings, temporary } = await demoSettings(context, options);
  try {
    const story = await tellStory(settings.data_dir, { effects, options });
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
  const path = `${data_dir}/demo.json`;
  if (await sizeOf(path) > 0) return JSON.parse(await Deno.readTextFile(path)) as DemoStory;
  if (await sizeOf(`${data_dir}/wattkeeper.duckdb`) > 0) {
    throw new Fault("conflict", `${data_dir} holds another plant's data: name another --data-dir`);
  }
  const now_us = Math.floor(effects.now_us() / minute_us) * minute_us;
  const story = { seed: options.seed, from_us: now_us - options.days * day_us };
  await Deno.mkdir(data_dir, { recursive: true });
  await replaceFile(path, JSON.stringify(story));
  return story;
}

type Stage = {
  readonly effects: Effects;
  readonly settings: Settings;
  readonly options: Options;
  readonly story: DemoStory;
};

async function runOn(service: Service, stage: Stage): Promise<ExitCode> {
  const { effects, settings, options, story } = stage;
  const begin_ms = effects.monotonic_ms();
  const demo = await Demo.open(service.parts, story);
  await fill(demo, service, stage);
  const seconds = ((effects.monotonic_ms() - begin_ms) / 1000).toFixed(1);
  effects.err(`ready after ${seconds} s\n`);
  const token = await makeToken(demo, service, { scopes: ["read"] });
  const operator_token = await makeToken(demo, service, {
    scopes: ["read", "operate", "manage"],
    user_id: await demo.operator(),
  });
  const stop = new AbortController();
  const days = Math.round((effects.now_us() - story.from_us) / day_us);
  const live = demo.live(stop.signal);
  let answered: Promise<boolean> = Promise.resolve(true);
  const onReady = (address: string) => {
    const now_us = effects.now_us();
    const guide: Guide = { address, token, operator_token, project: demo.project, now_us, days };
    if (!options.once) return effects.out(guideText(guide));
    answered = askDemo(effects, guide).finally(() => stop.abort());
  };
  const close = async () => {
    stop.abort();
    await live;
    await service.close();
  };
  const signal = stop.signal;
  const code = await serve({ ...service, close }, { settings, effects, onReady, signal });
  return await answered ? code : exit_codes.failed;
}

async function fill(demo: Demo, { parts }: Service, { effects }: Stage): Promise<void> {
  const progress = showProgress(effects, { label: "Simulating the plant", total: 100 });
  await demo.fill(({ done, total, rows }) => {
    progress.update(100 * done / total, `${(rows / 1e6).toFixed(1)} million samples`);
  });
  progress.stop();
  await parts.roll.settle();
  await parts.availability.settle();
  await parts.minute_evaluator.settle();
  await demo.openWork();
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
