// `serve`: runs the service until it is told to stop.
import type { Command } from "commander";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { aborted } from "../../base/in_time.ts";
import { isMistake } from "../../base/assert.ts";
import { service_limits } from "../../engine/service/limits.ts";
import type { Log } from "../../engine/core/log.ts";
import { openFiles } from "../../engine/core/machine.ts";
import type { Connections } from "../../engine/service/connections.ts";
import type { Served, Service } from "../../engine/service/service.ts";
import { access_limits } from "../../model/access/limits.ts";
import { browserOrigin, linkUrl, listenAddress } from "../../model/access/session.ts";
import { type Settings } from "../../model/setting.ts";
import { metricsPlace } from "../../model/setting_form.ts";
import { type Context, requireNoNode } from "../frame/context.ts";
import { exit_codes, type ExitCode } from "../frame/exit.ts";
import { Door, readCertificate, requirePlace } from "./door.ts";
import { attend, prolonged } from "./supervisor.ts";

/** What serving needs beside the service. */
type ServeOptions = {
  readonly settings: Settings;
  readonly effects: Effects;
  /** Called once, when requests are answered at `address`, before the log says so. */
  readonly onReady?: (address: string) => void;
  /** Aborts to stop, beside SIGTERM and SIGINT. */
  readonly signal?: AbortSignal;
  /** A terminal's Ctrl-C reaches the processes of a node, too: that stops them, in its own time. */
  readonly interrupt?: "stops" | "ignored";
};

/** What a supervisor is told of a stop. */
const stopping = "STOPPING=1\nSTATUS=stopping";

const serve_help = `
Settings, such as --data-dir, --host and --port, are flags of every command, variables, or lines of
wattkeeper.toml: \`wattkeeper --help\` lists them, \`wattkeeper config show\` those in force.`;

/** Adds `serve`. */
export function addServeCommand(program: Command, context: Context): void {
  program.command("serve").description("run the service")
    .option("--accept-data-loss", "use a database that lost its last data")
    .addHelpText("after", serve_help)
    .action(async ({ acceptDataLoss }: { acceptDataLoss?: true }) => {
      const { effects } = context;
      const { settings } = await context.resolve();
      const on_loss = acceptDataLoss ? "accept" : "refuse";
      requireNoNode(settings, "run `wattkeeper fleet serve`");
      await requireGround(settings);
      const service = await prolonged(
        effects,
        "STATUS=opening the database",
        () => context.openService(settings, effects, { on_loss }),
      );
      const first = firstToken(service, { settings, effects });
      try {
        const onReady = await first.whenReady();
        context.exit(await serve(service, { settings, effects, onReady }));
      } finally {
        first.show();
      }
    });
}

/** Throws a `Fault` where serving can't but fail: before anything is made, or shown only once. */
export async function requireGround(settings: Settings): Promise<void> {
  await requireFiles();
  await readCertificate(settings);
  for (const place of placesOf(settings)) if (place) requirePlace(place);
}

/**
 * Serves until SIGTERM, SIGINT or `signal`, then stops: not ready, running requests end, loops
 * stop, checkpoint, close. A second signal ends the process at once, which is safe. Gives the exit
 * code: `restart` when the database has invalidated itself, `bug` at once where a mistake of the
 * program was handled nowhere: what is acknowledged is in the log, and memory is not trusted.
 */
export async function serve(service: Served, options: ServeOptions): Promise<ExitCode> {
  const { log } = service.parts;
  const stop = stopOnSignals(log, options);
  const mistake = Promise.withResolvers<"mistake">();
  const rejected = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    log.error("an error was not handled: {error}", { error: event.reason });
    if (isMistake(event.reason)) mistake.resolve("mistake");
  };
  globalThis.addEventListener("unhandledrejection", rejected);
  try {
    const invalid = service.invalid.then(() => "invalid" as const);
    const answered = answerUntil(stop.signal, service, options);
    const end = await Promise.race([answered, invalid, mistake.promise]);
    if (end === "mistake") {
      log.error("this is a mistake in the program, which must be started again");
      return exit_codes.bug;
    }
    if (end === "invalid") {
      log.error("the database has invalidated itself: the program must be started again");
      await options.effects.sleep(service_limits.invalid_answers_ms);
      return exit_codes.restart;
    }
    await prolonged(options.effects, stopping, () => service.close());
    log.info("stopped");
    return exit_codes.ok;
  } finally {
    globalThis.removeEventListener("unhandledrejection", rejected);
    stop.forget();
  }
}

/**
 * The administrator's token of a new installation. It is shown once, when the service answers, with
 * a link that signs in with it; or else at the end: no other start shows it again.
 */
export function firstToken(
  { parts: { access, sign_in } }: Service,
  { settings, effects }: { readonly settings: Settings; readonly effects: Effects },
) {
  let token = access.first_token;
  const show = () => {
    if (token) effects.err(`The administrator's token, shown only now: ${token}\n`);
    token = undefined;
  };
  return {
    show,
    async whenReady(): Promise<ServeOptions["onReady"]> {
      if (token === undefined) return;
      const [{ id: token_id }] = access.list();
      const { code } = await sign_in.makeLink({ user_id: null, token_id });
      return (address) => {
        show();
        const link = linkUrl(browserOrigin(settings, address), code);
        const minutes = access_limits.link_us / 60e6;
        effects.err(`Sign in within ${minutes} minutes, once: ${link}\n`);
      };
    },
  };
}

/** Answers until `stop`; then refuses new requests for a while, and lets running ones end. */
async function answerUntil(
  stop: AbortSignal,
  service: Served,
  { settings, effects, onReady }: ServeOptions,
): Promise<void> {
  const { log, connections } = service.parts;
  const files = await openFiles();
  if (files) connections.most = Math.floor(files.allowed * service_limits.connections_share);
  const { main, local, all } = await openDoors(service, { settings, effects });
  const address = listenAddress({ ...settings, port: main.port });
  const here = local ? `http://127.0.0.1:${local.port}` : address;
  service.announce(browserOrigin({ public_url: "none" }, here));
  onReady?.(address);
  log.info("listening on {address}", { address });
  const watched = Promise.all([
    sweep(connections, { effects, stop }),
    attend(service.parts, effects, stop),
    watchCertificate(main, { settings, effects, log, stop }),
  ]);
  await aborted(stop);
  await prolonged(effects, stopping, async () => {
    service.refuse();
    await effects.sleep(settings.stop_notice_ms);
    await Promise.all(all.map((door) => door.close(settings.stop_grace_ms)));
    await watched;
  });
}

/**
 * The service's own door, that of the metrics where they have one, and, where the first needs a
 * certificate's name, one for commands on this machine.
 */
async function openDoors(
  service: Served,
  { settings, effects }: Pick<ServeOptions, "settings" | "effects">,
) {
  const { log, connections } = service.parts;
  const certificate = await readCertificate(settings);
  const inside = { connections, effects, log, answer: service.fetch };
  const [place, metrics_place] = placesOf(settings);
  const main = Door.open({ ...place, certificate }, inside);
  const local = certificate && Door.open({ host: "127.0.0.1", port: 0 }, inside);
  const metrics = metrics_place &&
    Door.open(metrics_place, { ...inside, answer: service.fetchMetrics });
  return { main, local, all: [main, local, metrics].filter((door) => door !== undefined) };
}

type OpenPlace = Pick<Settings, "host" | "port">;

function placesOf(
  { host, port, metrics }: Settings,
): readonly [own: OpenPlace, metrics?: OpenPlace] {
  const place = metricsPlace(metrics);
  return typeof place === "string" ? [{ host, port }] : [{ host, port }, place];
}

type Watch = { readonly effects: Effects; readonly stop: AbortSignal };

async function sweep(connections: Connections, { effects, stop }: Watch): Promise<void> {
  while (!stop.aborted) {
    await effects.sleep(service_limits.connections_look_ms, stop);
    connections.sweep();
  }
}

/** Gives the door a certificate that has changed; one that is wrong is told once, and not used. */
async function watchCertificate(
  door: Door,
  { settings, effects, log, stop }: Watch & { readonly settings: Settings; readonly log: Log },
): Promise<void> {
  if (settings.tls_cert === "none") return;
  let used = JSON.stringify(await readCertificate(settings));
  let told = "";
  while (!stop.aborted) {
    await effects.sleep(service_limits.certificate_look_ms, stop);
    try {
      const certificate = await readCertificate(settings);
      const read = JSON.stringify(certificate);
      if (stop.aborted || read === used) continue;
      door.renew(certificate!);
      [used, told] = [read, ""];
      log.info("the certificate is renewed");
    } catch (error) {
      const { message } = error as Error;
      if (message !== told) log.warning("the certificate stays: {error}", { error });
      told = message;
    }
  }
}

async function requireFiles(): Promise<void> {
  const files = await openFiles();
  if (files === null || files.allowed >= service_limits.open_files) return;
  throw new Fault(
    "invalid",
    `this process may open ${files.allowed} files, ${service_limits.open_files} are needed: ` +
      "raise it with `ulimit -n 65536`",
  );
}

/** A signal that aborts at the first SIGTERM or SIGINT; the second ends the process. */
function stopOnSignals(log: Log, { signal: also, interrupt, effects }: ServeOptions) {
  const stop = new AbortController();
  let first_ms = 0;
  const onSignal = () => {
    // A terminal's Ctrl-C comes twice where a task runner passes it on.
    const is_again = effects.monotonic_ms() - first_ms >= service_limits.signal_again_ms;
    if (stop.signal.aborted && is_again) Deno.exit(exit_codes.failed);
    if (stop.signal.aborted) return;
    first_ms = effects.monotonic_ms();
    log.info("stopping");
    stop.abort();
  };
  const onInterrupt = interrupt === "ignored" ? () => {} : onSignal;
  Deno.addSignalListener("SIGTERM", onSignal);
  Deno.addSignalListener("SIGINT", onInterrupt);
  return {
    signal: also ? AbortSignal.any([stop.signal, also]) : stop.signal,
    forget() {
      Deno.removeSignalListener("SIGTERM", onSignal);
      Deno.removeSignalListener("SIGINT", onInterrupt);
    },
  };
}
