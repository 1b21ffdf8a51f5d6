// `demo --edge`: simulated devices, a gateway that reads them, and the centre that it forwards to.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { Field, type FieldPorts, fieldSources } from "../../engine/demo/field.ts";
import { storyPlace } from "../../engine/demo/place.ts";
import { demoSite } from "../../engine/demo/site.ts";
import type { DemoStory } from "../../engine/demo/story.ts";
import type { Service } from "../../engine/service/service.ts";
import { applySite } from "../../engine/site/site.ts";
import { browserOrigin, linkUrl } from "../../model/access/session.ts";
import type { Settings } from "../../model/setting.ts";
import type { Context } from "../frame/context.ts";
import { exit_codes, type ExitCode } from "../frame/exit.ts";
import { requireGround, serve } from "../service/serve.ts";
import { listenFor, PullLine } from "./socket.ts";

/** What the demo is about, and whether it proves itself and ends. */
type EdgeOptions = {
  readonly settings: Settings;
  readonly story: DemoStory;
  readonly once?: true;
};

const second_ms = 1000;
/** How long the line is up, and down, when the demo proves itself. */
const [up_ms, down_ms] = [5_000, 5_000];
/** How long the backlog may take then. */
const catch_up_ms = 120_000;

/** Runs until it is told to stop; with `once`, until a pulled line has left no trace. */
export async function runEdge(
  context: Context,
  { settings, story, once }: EdgeOptions,
): Promise<ExitCode> {
  const { effects } = context;
  const stop = new AbortController();
  const { signal } = stop;
  const begun: Promise<ExitCode>[] = [];
  const field = new Field(story, effects.now_us());
  const devices = await openDevices(field, effects);
  const site = demoSite(storyPlace(story));
  const open = async (own: Settings, file: object) => {
    await requireGround(own);
    const service = await context.openService(own, effects, { on_loss: "refuse" });
    const ready = Promise.withResolvers<string>();
    await applySite(service.parts, file, { dry_run: false });
    const close = async () => {
      // One that is told to end takes the other with it.
      stop.abort();
      await service.close();
    };
    const options = { settings: own, effects, onReady: ready.resolve, signal };
    begun.push(serve({ ...service, close }, options));
    return { service, settings: own, address: await ready.promise };
  };
  try {
    const centre = await open(centreOf({ settings, once }), site);
    const line = new PullLine(Number(new URL(centre.address).port), effects);
    try {
      const gateway = await open(
        await gatewayOf(settings, { line, centre: centre.service }),
        { ...site, sources: fieldSources(devices.ports) },
      );
      const living = live(devices, effects, signal);
      const stage = { effects, line, gateway, centre };
      const is_well = once ? await prove(stage, stop) : await tell(stage, signal).then(() => true);
      stop.abort();
      await living;
      const codes = await Promise.all(begun);
      return is_well
        ? codes.find((it) => it !== exit_codes.ok) ?? exit_codes.ok
        : exit_codes.failed;
    } finally {
      line.close();
    }
  } finally {
    stop.abort();
    await Promise.allSettled(begun);
    devices.close();
  }
}

/** The centre has the port behind the gateway's. */
function centreOf({ settings, once }: Pick<EdgeOptions, "settings" | "once">): Settings {
  return {
    ...settings,
    data_dir: `${settings.data_dir}/centre`,
    port: once ? 0 : settings.port + 1,
  };
}

/** The gateway forwards over the line, with a token that the centre makes for it. */
async function gatewayOf(
  settings: Settings,
  { line, centre: { parts } }: { readonly line: PullLine; readonly centre: Service },
): Promise<Settings> {
  const [{ id, organization_id }] = parts.catalog.projects;
  const { token } = await parts.access.create({
    ...{ name: "gateway", organization_id, project_ids: [id], scopes: ["ingest", "sync"] },
    expires_at: null,
  });
  return {
    ...settings,
    data_dir: `${settings.data_dir}/gateway`,
    upstream_url: `http://127.0.0.1:${line.port}`,
    upstream_token: token,
    source_allow: "127.0.0.1",
  };
}

/** The devices of the field, each behind a port of what it speaks. */
type Devices = {
  readonly ports: FieldPorts;
  /** Lets them live on up to an instant, and say what they say by themselves. */
  readonly goOn: (at_us: number) => void;
  readonly close: () => void;
};

async function openDevices(field: Field, effects: Effects): Promise<Devices> {
  // The library of OPC UA is large, and nobody else here needs it.
  const { DemoServer } = await import("../../engine/demo/opcua_server.ts");
  const server = new DemoServer(effects);
  const goOn = (at_us: number) => {
    field.goOn(at_us);
    server.set(field.variables(), at_us);
  };
  server.set(field.variables(), effects.now_us());
  const modbus = listenFor((send) => {
    const answer = field.answerer();
    return (bytes) => send(answer(bytes));
  });
  const mqtt = listenFor((send) => field.hear(send));
  return {
    ports: { modbus: modbus.port, mqtt: mqtt.port, opcua: await server.listen() },
    goOn,
    close() {
      for (const it of [modbus, mqtt, server]) it.close();
    },
  };
}

/** Lets the devices live on, second by second. */
async function live(
  { goOn }: Devices,
  { now_us, sleep }: Pick<Effects, "now_us" | "sleep">,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    goOn(now_us());
    await sleep(second_ms - now_us() / 1000 % second_ms, signal);
  }
}

type End = { readonly service: Service; readonly settings: Settings; readonly address: string };

type Stage = {
  readonly effects: Effects;
  readonly line: PullLine;
  readonly gateway: End;
  readonly centre: End;
};

/** Says where to look, and what becomes of the line, until `signal` aborts. */
async function tell(stage: Stage, signal: AbortSignal): Promise<void> {
  const { effects, line, gateway, centre } = stage;
  const links = await Promise.all([gateway, centre].map(linkOf));
  effects.out(`
A gateway reads the devices of a 20 MW solar plant by Modbus, MQTT and OPC UA, and forwards to a
centre.
Gateway:  ${links[0]}
Centre:   ${links[1]}
Look at Data health, Sources and Forwarding of the gateway. Press L to pull the line, and again to
put it back; Ctrl-C ends all.
`);
  const typing = (async () => {
    for await (const key of effects.keys(signal)) {
      if (!/^l$/i.test(key)) continue;
      line.is_pulled = !line.is_pulled;
      effects.err(
        line.is_pulled
          ? "The line is pulled.\n"
          : "The line is back; the gateway tries it again within half a minute.\n",
      );
    }
  })();
  typing.catch(() => {});
  for (let told = ""; !signal.aborted; await effects.sleep(5 * second_ms, signal)) {
    const text = await stateText(stage).catch((error) => {
      if (!signal.aborted) throw error;
      return told;
    });
    if (text !== told) effects.err(`${text}\n`);
    told = text;
  }
}

async function linkOf({ service: { parts }, settings, address }: End): Promise<string> {
  const [{ id: token_id }] = parts.access.list();
  const { code } = await parts.sign_in.makeLink({ user_id: null, token_id });
  return linkUrl(browserOrigin(settings, address), code);
}

async function stateText({ gateway: { service: { parts } } }: Stage): Promise<string> {
  const state = await parts.upstream.state();
  const lag_s = Math.round(Math.max(0, ...state?.projects.map(({ lag_us }) => lag_us) ?? []) / 1e6);
  if (!state?.connected) return `no line to the centre; it is ${lag_s} s behind`;
  return lag_s > 15 ? `the gap closes: ${lag_s} s behind` : "the centre has everything";
}

/** Waits, for so long at most, until every source has brought values. */
async function allRead(
  { service: { parts } }: End,
  { wait, effects }: {
    readonly wait: (ms: number) => Promise<void>;
    readonly effects: Pick<Effects, "monotonic_ms">;
  },
): Promise<void> {
  const { catalog, sources } = parts;
  const begin_ms = effects.monotonic_ms();
  while (effects.monotonic_ms() - begin_ms < catch_up_ms) {
    const silent = catalog.sources.filter((it) => !sources.stateOf(it)?.last_value_us);
    if (silent.length === 0) return;
    await wait(second_ms / 10);
  }
  throw new Fault("unavailable", "not every source of the demo has brought values");
}

/** Pulls the line for a while; says whether the centre then has each sample once. */
async function prove({ effects, line, gateway, centre }: Stage, stop: AbortController) {
  const stored = ({ service }: End) => service.parts.ingest.totals.accepted;
  const wait = (ms: number) => effects.sleep(ms, stop.signal);
  await allRead(gateway, { wait, effects });
  await wait(up_ms);
  line.is_pulled = true;
  const before = stored(centre);
  await wait(down_ms);
  const missed = stored(gateway) - before;
  line.is_pulled = false;
  const begin_ms = effects.monotonic_ms();
  // What is read meanwhile is on its way: that all of a moment is there comes soon, or never.
  while (stored(centre) !== stored(gateway) && !stop.signal.aborted) {
    if (effects.monotonic_ms() - begin_ms > catch_up_ms) break;
    await wait(second_ms / 10);
  }
  const [sent, there] = [stored(gateway), stored(centre)];
  const is_well = missed > 0 && sent === there && sent > 0;
  const took_s = ((effects.monotonic_ms() - begin_ms) / 1000).toFixed(1);
  effects.out(
    `${is_well ? "ok    " : "FAILED"} the gateway read ${sent} samples, the centre has ${there}; ` +
      `${missed} were missing when the line came back, ${took_s} s later none\n`,
  );
  return is_well;
}
