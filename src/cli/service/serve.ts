// `serve` and `doctor`: runs the service, and checks what it needs from its machine.
import type { Command } from "commander";
import type { Effects } from "../../base/effects.ts";
import { Fault, refusalOfSystem } from "../../base/fault.ts";
import { aborted } from "../../base/in_time.ts";
import { service_limits } from "../../engine/service/limits.ts";
import type { Log } from "../../engine/core/log.ts";
import { diskSpace, freeBytes, memoryMb, openFiles } from "../../engine/core/machine.ts";
import { readGrowth } from "../../engine/retention/retention.ts";
import { readTiers } from "../../engine/retention/tiers.ts";
import type { Connections } from "../../engine/service/connections.ts";
import type { Service } from "../../engine/service/service.ts";
import { access_limits } from "../../model/access/limits.ts";
import { browserOrigin, linkUrl, listenAddress } from "../../model/access/session.ts";
import { type Growth, growthText } from "../../model/retention/growth.ts";
import { metricsPlace, periodOf, type Settings } from "../../model/setting.ts";
import { type Context, offline, serviceOf } from "../frame/context.ts";
import { exit_codes, type ExitCode } from "../frame/exit.ts";
import { askService, type RemoteFlags, withRemote } from "../frame/remote.ts";
import { Door, readCertificate, requirePlace } from "./door.ts";
import { backupTime } from "../../store/folder.ts";
import { database_limits } from "../../store/limits.ts";

/** What serving needs beside the service. */
type ServeOptions = {
  readonly settings: Settings;
  readonly effects: Effects;
  /** Called once, when requests are answered at `address`, before the log says so. */
  readonly onReady?: (address: string) => void;
  /** Aborts to stop, beside SIGTERM and SIGINT. */
  readonly signal?: AbortSignal;
};

/** Adds `serve`. */
export function addServeCommand(program: Command, context: Context): void {
  program.command("serve").description("run the service")
    .option("--accept-data-loss", "use a database that lost its last data")
    .action(async ({ acceptDataLoss }: { acceptDataLoss?: true }) => {
      const { effects } = context;
      const { settings } = await context.resolve();
      const on_loss = acceptDataLoss ? "accept" : "refuse";
      await requireGround(settings);
      const service = await context.openService(settings, effects, { on_loss });
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
 * code: `restart` when the database has invalidated itself.
 */
export async function serve(service: Service, options: ServeOptions): Promise<ExitCode> {
  const { log } = service.parts;
  const stop = stopOnSignals(log, options.signal);
  const rejected = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    log.error("an error was not handled: {error}", { error: event.reason });
  };
  globalThis.addEventListener("unhandledrejection", rejected);
  try {
    const invalid = service.invalid.then(() => "invalid" as const);
    const end = await Promise.race([answerUntil(stop.signal, service, options), invalid]);
    if (end === "invalid") {
      log.error("the database has invalidated itself: the program must be started again");
      await options.effects.sleep(service_limits.invalid_answers_ms);
      return exit_codes.restart;
    }
    await service.close();
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
function firstToken(
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
  service: Service,
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
    watchCertificate(main, { settings, effects, log, stop }),
  ]);
  await aborted(stop);
  service.refuse();
  await effects.sleep(settings.stop_notice_ms);
  await Promise.all(all.map((door) => door.close(settings.stop_grace_ms)));
  await watched;
}

/**
 * The service's own door, that of the metrics where they have one, and, where the first needs a
 * certificate's name, one for commands on this machine.
 */
async function openDoors(
  service: Service,
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
function stopOnSignals(log: Log, also?: AbortSignal) {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) Deno.exit(exit_codes.failed);
    log.info("stopping");
    stop.abort();
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(name, onSignal);
  return {
    signal: also ? AbortSignal.any([stop.signal, also]) : stop.signal,
    forget() {
      for (const name of ["SIGTERM", "SIGINT"] as const) Deno.removeSignalListener(name, onSignal);
    },
  };
}

/** What `doctor` looks at, and at a service if one runs. */
type Patient = {
  readonly context: Context;
  readonly settings: Settings;
  readonly service: ServiceState | undefined;
};

/** What a service says of itself: values of its gauges by label. */
type ServiceState = {
  readonly not_ready: string | null;
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number>>>>;
};

/** What one look found; it throws a `Fault` where something is wrong. */
type Look = (patient: Patient) => Promise<string> | string;

/** What is looked at here or at the service. */
const service_looks: Readonly<Record<string, Look>> = {
  database: ({ context, service }) => {
    if (service === undefined) {
      return offline(context, ({ catalog }) => Promise.resolve(contentsOf(catalog)));
    }
    const { not_ready } = service;
    const remedy = "look into its log";
    return need(not_ready ?? "a service runs and answers", { good: not_ready === null, remedy });
  },
  stamps: async ({ context, service }) => {
    const ahead_us = service === undefined
      ? await offline(context, ({ database }) => Promise.resolve(database.ahead_us))
      : 1e6 * (service.metrics.stamps_ahead_seconds?.[""] ?? 0);
    const good = ahead_us <= database_limits.stamp_ahead_us;
    const text = good
      ? "time stamps are not ahead of the clock"
      : `time stamps are ${Math.round(ahead_us / 1e6)} s ahead of the clock`;
    const remedy = "set the clock if it is slow; if it was ahead, time stamps continue from " +
      "there until the clock has caught up";
    return need(text, { good, remedy });
  },
  backup: async ({ context, settings, service }) => {
    const made_ms = service === undefined
      ? await backupTime(settings.data_dir)
      : service.metrics.backup_time_seconds?.[""] * 1000;
    const text = made_ms ? `made ${new Date(made_ms).toISOString()}` : "none was made yet";
    const age_ms = context.effects.now_us() / 1000 - (made_ms || 0);
    const has_failed = service?.metrics.backup_failed?.[""] === 1;
    // The first one of a new service is still to come.
    const is_late = Boolean(made_ms) && age_ms > 2 * periodOf(settings.backup_every);
    const remedy = "the last one failed or is overdue: look into the log of the service";
    return need(text, { good: !has_failed && !is_late, remedy });
  },
  tiers: async ({ context, service }) => {
    const { whole, broken } = service?.metrics.tier_days ??
      await offline(context, ({ database }) => readTiers(database));
    const remedy = "put them back, best from a backup; the log of the service names them";
    const text = `${whole} days lie in files, ${broken} more in missing or damaged ones`;
    return need(text, { good: broken === 0, remedy });
  },
  loops: ({ service }) => {
    if (service === undefined) return "no service runs here";
    const failing = Object.entries(service.metrics.loop_failures ?? {})
      .filter(([, failures]) => failures > 0).map(([name]) => name);
    const text = failing.join(", ") || "all loops work";
    return need(text, { good: failing.length === 0, remedy: "it fails: look into the log" });
  },
};

function growthFrom({ metrics }: ServiceState): Growth {
  const full_s = metrics.disk_full_time_seconds?.[""];
  return {
    bytes_per_day: metrics.database_growth_bytes?.[""] ?? null,
    full_day: full_s === undefined ? null : Math.round(full_s / 86_400),
  };
}

/** What is looked at on this machine. */
const machine_looks: Readonly<Record<string, Look>> = {
  disk: async ({ settings: { data_dir } }) => {
    const free = await freeBytes(data_dir);
    const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    const good = free > service_limits.doctor_free_disk_bytes;
    return need(text, { good, remedy: "free some space: a full disk stops writes" });
  },
  growth: async ({ context, settings: { data_dir }, service }) => {
    const space = () => diskSpace(data_dir);
    const growth = service === undefined
      ? await offline(context, ({ database }) => readGrowth({ database, space }))
      : growthFrom(service);
    const last_day = context.effects.now_us() / 86_400e6 + service_limits.doctor_full_days;
    const good = growth.full_day === null || growth.full_day > last_day;
    const remedy = "free some space, or keep data for a shorter time (keep_samples)";
    return need(growthText(growth), { good, remedy });
  },
  memory: async ({ settings: { memory_mb } }) => {
    const there = await memoryMb();
    const text = `${there} MiB here, ${memory_mb} MiB for the database`;
    const good = memory_mb * 3 <= there;
    return need(text, { good, remedy: "lower memory_mb to a third of it less 400" });
  },
  "open files": async () => {
    const files = await openFiles();
    if (files === null) return "not known on this system";
    const good = files.allowed >= service_limits.open_files;
    return need(`${files.allowed} allowed`, { good, remedy: "raise it with `ulimit -n 65536`" });
  },
  clock: ({ context: { effects } }) => {
    const now = new Date(effects.now_us() / 1000).toISOString();
    const remedy = "set the clock: rows would get a wrong time stamp";
    return need(now, { good: now > "2026", remedy });
  },
  "time zones": () => {
    const winter = Temporal.Instant.from("2026-01-01T00:00Z").toZonedDateTimeISO("America/Denver");
    const summer = Temporal.Instant.from("2026-07-01T00:00Z").toZonedDateTimeISO("America/Denver");
    const good = winter.offset === "-07:00" && summer.offset === "-06:00";
    const text = `Denver ${winter.offset} and ${summer.offset}`;
    return need(text, { good, remedy: "install the program again" });
  },
};

/** Adds `doctor`. */
export function addDoctorCommand(program: Command, context: Context): void {
  withRemote(program.command("doctor"))
    .description("check the service, or the data directory without one, and the machine")
    .action(async (flags: RemoteFlags) => {
      const { settings } = await context.resolve();
      const { effects, version } = context;
      effects.out(
        `good  ${"version".padEnd(10)}  wattkeeper ${version}, Deno ${Deno.version.deno}, ` +
          `${Deno.build.target}\n`,
      );
      const remote = await serviceOf(context, flags);
      const service = remote &&
        await askService<ServiceState>(effects, remote, { path: "/admin/v1/status" });
      // What this machine has is nothing to a service elsewhere.
      const looks = { ...service_looks, ...flags.url === undefined ? machine_looks : {} };
      for (const [name, look] of Object.entries(looks)) {
        const good = await report(name, () => look({ context, settings, service }), effects);
        if (!good) context.exit(exit_codes.failed);
      }
    });
}

async function report(
  name: string,
  look: () => Promise<string> | string,
  effects: Pick<Effects, "out">,
): Promise<boolean> {
  try {
    effects.out(`good  ${name.padEnd(10)}  ${await look()}\n`);
    return true;
  } catch (error) {
    const reason = error instanceof Fault ? error.message : refusalOfSystem(error);
    if (reason === undefined) throw error;
    effects.out(`bad   ${name.padEnd(10)}  ${reason}\n`);
    return false;
  }
}

function contentsOf(catalog: { projects: readonly unknown[]; tags: readonly unknown[] }): string {
  return `opens, ${catalog.projects.length} projects, ${catalog.tags.length} tags`;
}

/** What was found, or a `Fault` that adds what to do about it. */
function need(found: string, { good, remedy }: { good: boolean; remedy: string }): string {
  if (!good) throw new Fault("invalid", `${found}: ${remedy}`);
  return found;
}
