// The process of a shard as its node sees it: the one before fenced, this one told and stopped.
import { killProcess, startShell } from "../../base/c_library.ts";
import type { Effects } from "../../base/effects.ts";
import type { OtherSelf } from "../../base/effects_self.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { OutlineWord } from "../../model/fleet/outline.ts";
import { type Notice, shardName, type ShardOf } from "../../model/fleet/shard.ts";
import { setting_limits } from "../../model/limits.ts";
import { setting_names, type Settings, variableOf } from "../../model/setting.ts";
import { metricsPlace } from "../../model/setting_form.ts";
import { endHolder, requireShardOf } from "../../store/folder.ts";
import type { FromShard, ToShard } from "./message.ts";

/** What a node hears of a shard. */
export type ShardEars = {
  /** For how long the lease is still certain. */
  readonly leftMs: () => number;
  readonly onTold: (told: Notice) => void;
  /** How long processors worked for it, in ms; undefined where the system does not tell. */
  readonly workedMs: () => Promise<number | undefined>;
  /** What is to become of its outline; gives the number of that then, if it has. */
  readonly onKeep: (word: OutlineWord) => Promise<number | undefined>;
  /** It hangs, and is killed for that. */
  readonly onHang: (why: string) => void;
};

/** What a look at a process finds; `over`: there is nothing to look for any more. */
type Look = "quiet" | "busy" | "over";

/** A running process of one shard. */
export class ShardProcess {
  /** The port that it answers at; undefined where it ended before. */
  readonly port: Promise<number | undefined>;
  /** Resolves when it says nothing any more: it has ended, or is killed. */
  readonly quiet: Promise<void>;
  /** Resolves when it has ended, with its exit code; never where a volume that hangs keeps it. */
  readonly ended: Promise<number>;
  /** Why it ended, as far as it said so. */
  last_words: string | undefined;
  readonly #self: OtherSelf;
  readonly #over = new AbortController();
  #adopted = "";
  #is_heard = false;

  constructor(self: OtherSelf, ears: ShardEars, effects: Pick<Effects, "sleep">) {
    this.#self = self;
    const ready = Promise.withResolvers<number | undefined>();
    this.port = ready.promise;
    this.quiet = this.#hear(ears, ready.resolve).catch(() => {});
    this.ended = this.quiet.then(() => {
      ready.resolve(undefined);
      this.#over.abort();
      return self.end();
    });
    void this.#watch(ears, effects);
  }

  /** Tells it what others told, unless it knows. */
  adopt(told: Notice): void {
    const text = JSON.stringify(told);
    if (text === this.#adopted) return;
    this.#adopted = text;
    this.#tell({ adopt: told });
  }

  /** Tells a stand-in by which outline it is to read. */
  outline(outline: string): void {
    this.#tell({ outline });
  }

  /** Lets it end by itself, its log in its file; gives its exit code. */
  stop(): Promise<number> {
    this.#tell({ stop: true });
    return this.ended;
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    await this.#self.end();
  }

  async #hear(
    { leftMs, onTold, onKeep }: ShardEars,
    onPort: (port: number) => void,
  ): Promise<void> {
    for (;;) {
      const message = await this.#self.receive();
      if (message === undefined || !("json" in message)) return;
      this.#is_heard = true;
      const said = message.json as FromShard;
      if ("ask_ms" in said) this.#tell({ asked_ms: said.ask_ms, left_ms: leftMs() });
      else if ("port" in said) onPort(said.port);
      else if ("failed" in said) this.last_words = said.failed;
      else if ("told" in said) onTold(said.told);
      else {
        const tell = (kept?: number) => this.#tell({ kept: kept ?? null, ask_no: said.ask_no });
        void onKeep(said.keep).then(tell, () => tell());
      }
    }
  }

  /**
   * Kills it where it hangs, which waiting does not mend: where it does nothing for long before it
   * answers, or says nothing for long after that.
   */
  async #watch(ears: ShardEars, effects: Pick<Effects, "sleep">): Promise<void> {
    const { idle_looks, silent_looks, silent_look_ms } = fleet_limits;
    const seconds = (looks: number) => looks * silent_look_ms / 1000;
    let why: string | undefined;
    if (await this.#isIdle(ears, effects)) {
      why = `it did nothing for ${seconds(idle_looks)} s while it opened its database`;
    } else if (await this.#isSilent(effects)) {
      why = `it said nothing for ${seconds(silent_looks)} s`;
    }
    if (why === undefined) return;
    this.last_words = `its process was killed: ${why}`;
    ears.onHang(why);
    await this.kill();
  }

  /**
   * Waits until it answers or has ended, or else did nothing for long. A log that is replayed and
   * data that are brought to a new version take their time, and processors work for them.
   */
  async #isIdle({ workedMs }: ShardEars, effects: Pick<Effects, "sleep">): Promise<boolean> {
    let is_open = false;
    void this.port.then(() => is_open = true);
    let seen_ms = 0;
    return await this.#isQuiet(fleet_limits.idle_looks, effects, async () => {
      const worked_ms = await workedMs();
      if (is_open) return "over";
      if (worked_ms !== undefined && worked_ms - seen_ms < fleet_limits.work_ms) return "quiet";
      seen_ms = worked_ms ?? 0;
      return "busy";
    });
  }

  /** Waits until it has ended, or else said nothing for long. */
  #isSilent(effects: Pick<Effects, "sleep">): Promise<boolean> {
    this.#is_heard = false;
    return this.#isQuiet(fleet_limits.silent_looks, effects, () => {
      const is_heard = this.#is_heard;
      this.#is_heard = false;
      return is_heard ? "busy" : "quiet";
    });
  }

  /**
   * Looks again and again; whether it was quiet so often in a row. Time in which this process
   * itself stood still counts as one look.
   */
  async #isQuiet(
    most_looks: number,
    { sleep }: Pick<Effects, "sleep">,
    look: () => Look | Promise<Look>,
  ): Promise<boolean> {
    const { signal } = this.#over;
    for (let quiet = 0; quiet < most_looks;) {
      await sleep(fleet_limits.silent_look_ms, signal);
      const seen = signal.aborted ? "over" : await look();
      if (seen === "over") return false;
      quiet = seen === "quiet" ? quiet + 1 : 0;
    }
    return true;
  }

  /** One that has ended hears nothing, which its end tells. */
  #tell(json: ToShard): void {
    this.#self.send({ json }).catch(() => {});
  }
}

/** What is to be fenced, from whom; null where nobody is known. */
export type Fenced = ShardOf & {
  readonly path: string;
  readonly former: string | null;
};

/**
 * Fences the volume of a directory as the setting `fleet_fence` says. Throws a `Fault`
 * (unavailable) where that can't be done, or (conflict) where it is another shard's directory: then
 * nobody may open it.
 */
export async function fence(
  how: string,
  { no, fleet, path, former }: Fenced,
  { sleep }: Pick<Effects, "sleep">,
): Promise<void> {
  if (how === "none") return;
  if (how === "process") {
    // A process of another fleet is none to kill.
    await requireShardOf(path, { no, fleet });
    return await endHolder(path, { sleep, kill: killProcess });
  }
  if (former === null) return;
  const words = [shardName(no), path, former].map((it) => `'${it.replaceAll("'", `'\\''`)}'`);
  const running = startShell(`${how} ${words.join(" ")}`);
  const wait_ms = fleet_limits.fence_ms;
  const is_over = await inTime(running.ended, { wait_ms, effects: { sleep } });
  const code = is_over ? await running.ended : undefined;
  if (code === 0) return;
  // The next try must not meet what this one began.
  const end_tries = fleet_limits.fence_ms / fleet_limits.killed_ms;
  for (let tries = 0; running.kill() && tries < end_tries; tries++) {
    await sleep(fleet_limits.killed_ms);
  }
  await running.ended;
  const end = code === undefined ? `has not ended after ${wait_ms / 1000} s` : `ended with ${code}`;
  // The command itself may hold a secret.
  throw new Fault("unavailable", `the command of fleet_fence ${end}, for ${words.join(" ")}`);
}

/** The directory of a shard. */
export function shardPath({ data_dir }: Pick<Settings, "data_dir">, no: number): string {
  return `${data_dir}/${shardName(no)}`;
}

/** Which shard, one of how many that share the node's memory, and where its node answers. */
type ShardPlace = { readonly no: number; readonly share: number; readonly address: string };

/** The environment of a shard's process. */
export function shardEnvironment(
  settings: Settings,
  place: ShardPlace,
): Readonly<Record<string, string>> {
  return environmentOf(shardSettings(settings, place));
}

function environmentOf(settings: Settings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    setting_names.map((name) => [variableOf(name), `${settings[name]}`]),
  );
}

/** The same of the process that stands in for it, which has no directory. */
export function standInEnvironment(
  settings: Settings,
  place: ShardPlace,
): Readonly<Record<string, string>> {
  const own = shardSettings(settings, place);
  const { data_dir, library_dir } = settings;
  return environmentOf({
    ...{ ...own, data_dir: `${data_dir}/stand-in` },
    library_dir: library_dir === "none" ? `${data_dir}/library` : library_dir,
  });
}

/** It answers its node alone, which is a proxy before it. */
function shardSettings(
  settings: Settings,
  { no, share, address }: ShardPlace,
): Settings {
  const { data_dir, trusted_proxies, memory_mb, extension_dir, lake_schema } = settings;
  const loopback = "127.0.0.1";
  const ownPart = (path: string) => path === "none" ? path : `${path}/${shardName(no)}`;
  return {
    ...settings,
    ...{ data_dir: shardPath(settings, no), host: loopback, port: 0 },
    ...{ tls_cert: "none", tls_key: "none" },
    // Where people reach it: its own address is its node's alone.
    public_url: settings.public_url === "none" ? address : settings.public_url,
    // Its node looks after an address of their own.
    metrics: typeof metricsPlace(settings.metrics) === "object" ? "open" : settings.metrics,
    trusted_proxies: trusted_proxies === "none" ? loopback : `${trusted_proxies},${loopback}`,
    memory_mb: Math.max(setting_limits.memory_mb_min, Math.floor(memory_mb / share)),
    backup_dir: ownPart(settings.backup_dir),
    tier_dir: ownPart(settings.tier_dir),
    lake_dir: ownPart(settings.lake_dir),
    lake_schema: `${lake_schema}_${no}`,
    extension_dir: extension_dir === "none" ? `${data_dir}/extensions` : extension_dir,
    ...{ stop_notice_ms: 0, stop_grace_ms: fleet_limits.leave_ms },
    ...{ fleet_catalog: "none", fleet_secret: "none", fleet_address: address },
  };
}
