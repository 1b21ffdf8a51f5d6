// Backups that a running service makes: when asked and by the clock, listed, removed, streamed.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { backupFolder, type Settings } from "../../model/setting.ts";
import { periodOf } from "../../model/setting_form.ts";
import { keepCertificates } from "../../store/backup/certificates.ts";
import { backup_limits } from "../../store/backup/limits.ts";
import { packBackup, packedBytes, type PackOptions, writeBackup } from "../../store/backup/pack.ts";
import type { Cut } from "../../store/instance.ts";
import type { Database } from "../../store/database.ts";
import {
  backupTime,
  certificatesPath,
  keepBackupTime,
  keptFolders,
  sizeOf,
} from "../../store/folder.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import { freeBytes } from "../core/machine.ts";

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "sleep">;
  readonly settings: Pick<Settings, "data_dir" | "backup_dir" | "backup_every" | "backup_keep">;
  readonly version: string;
  readonly log: Log;
};

/** Why a backup was made: only those of the clock are removed by it. */
type Cause = "asked" | "scheduled";

/** A backup as it is listed. */
export type BackupInfo = {
  readonly name: string;
  readonly state: "running" | "failed" | "done";
  /** Its size; while it runs what is written. */
  readonly bytes: number;
  /** Of everything that is to be copied and read, 0 to 1. */
  readonly share: number;
  /** Why it failed. */
  readonly reason: string | null;
};

/** One that is being made. */
type Run = {
  readonly name: string;
  readonly made_us: number;
  readonly options: PackOptions & { readonly signal: AbortSignal };
  /** Says that it has ended. */
  readonly end: () => void;
};

/** One at a time, so that they do not slow each other and the work down. */
export class Backups {
  /** Makes those that are due by the clock. */
  readonly loop: Loop;
  readonly #parts: Parts;
  readonly #path: string;
  #running: { info: BackupInfo; readonly abort: AbortController } | undefined;
  /** Resolves when what runs has ended. */
  #ended: Promise<void> = Promise.resolve();
  #failed: BackupInfo | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#path = backupFolder(parts.settings);
    this.loop = new Loop({
      name: "making backups",
      effects: parts.effects,
      first_ms: backup_limits.first_ms,
      retry_ms: backup_limits.retry_ms,
      turn: (signal) => this.#turn(signal),
    });
  }

  /** Begins to make one, and gives its name. Throws a `Fault` (conflict) while one is made. */
  start(): string {
    const run = this.#begin(this.#nameOf("asked"));
    const { name } = run;
    this.#make(run).catch((error) => {
      this.#parts.log.error("the backup {name} failed: {error}", { name, error });
    });
    return name;
  }

  /** The bytes of one that is made for the caller alone. Throws a `Fault` (conflict) likewise. */
  stream(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const run = this.#begin("streamed", signal);
    const pieces = this.#streamed(run);
    // Where nobody takes the next piece, it would wait for ever.
    const stop = () => void pieces.return(undefined).catch(() => {}).finally(run.end);
    run.options.signal.addEventListener("abort", stop, { once: true });
    return pieces;
  }

  async *#streamed(run: Run): AsyncGenerator<Uint8Array, void> {
    try {
      using cut = await this.#cut();
      yield* packBackup(cut, run.options);
      await this.#keepTime(run);
    } finally {
      run.end();
    }
  }

  /** Whether the last one that was tried in the folder failed. */
  get has_failed(): boolean {
    return this.#failed !== undefined;
  }

  /** All there are, the oldest first; also the one that is made, and the last if it failed. */
  async list(): Promise<readonly BackupInfo[]> {
    const found: BackupInfo[] = [];
    for (const name of await this.#names()) {
      const bytes = await sizeOf(`${this.#path}/${name}`);
      found.push({ name, state: "done", bytes, share: 1, reason: null });
    }
    const others = [this.#failed, this.#running?.info].filter((info) => info !== undefined);
    return [...found, ...others].sort((a, b) => timeIn(a.name) < timeIn(b.name) ? -1 : 1);
  }

  /** Removes one, or gives up the one that is made. Throws a `Fault` (not_found). */
  async remove(name: string): Promise<BackupInfo> {
    const info = (await this.list()).find((it) => it.name === name);
    if (info === undefined) throw new Fault("not_found", `there is no backup ${name}`);
    if (info.state === "running") {
      this.#running?.abort.abort();
      await this.#ended;
    } else if (info.state === "failed") this.#failed = undefined;
    else await Deno.remove(`${this.#path}/${name}`);
    return info;
  }

  /** Gives up what runs. */
  async close(): Promise<void> {
    this.#running?.abort.abort();
    await this.#ended;
    await this.keepCertificates();
  }

  /** Makes the database's copy of the certificates what they are now, or puts them back. */
  async keepCertificates(): Promise<void> {
    const { database, settings, log } = this.#parts;
    try {
      await keepCertificates(database, certificatesPath(settings));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warning("the certificates are not kept for backups: {reason}", { reason });
    }
  }

  async #cut(): Promise<Cut> {
    await this.keepCertificates();
    return await this.#parts.database.cut();
  }

  /** Makes one when it is time; gives how long to wait for the next. */
  async #turn(signal: AbortSignal): Promise<number> {
    const { settings, effects } = this.#parts;
    const every_ms = periodOf(settings.backup_every);
    if (every_ms === Infinity) return Infinity;
    const age_ms = effects.now_us() / 1000 - (await backupTime(settings.data_dir) ?? -Infinity);
    // One of the future was made while the clock was ahead: nobody knows how old it is.
    const left_ms = age_ms < 0 ? 0 : every_ms - age_ms;
    if (left_ms > 0) return Math.min(left_ms, backup_limits.look_ms);
    await this.#ended;
    await this.#make(this.#begin(this.#nameOf("scheduled"), signal));
    await this.#prune();
    return Math.min(every_ms, backup_limits.look_ms);
  }

  async #make(run: Run): Promise<void> {
    try {
      await this.#sweep();
      using cut = await this.#cut();
      await requireRoom(this.#path, await packedBytes(cut, run.options.folders));
      await writeBackup(`${this.#path}/${run.name}`, packBackup(cut, run.options));
      await this.#keepTime(run);
      this.#failed = undefined;
    } catch (error) {
      // One that is given up has not failed.
      if (run.options.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#failed = { ...this.#running!.info, state: "failed", reason };
      throw error;
    } finally {
      run.end();
    }
  }

  /** Takes the one place there is, until `end`. */
  #begin(name: string, signal?: AbortSignal): Run {
    if (this.#running !== undefined) {
      throw new Fault("conflict", `a backup is being made: ${this.#running.info.name}`);
    }
    const { settings, effects, version } = this.#parts;
    const abort = new AbortController();
    const ended = Promise.withResolvers<void>();
    const info: BackupInfo = { name, state: "running", bytes: 0, share: 0, reason: null };
    const running = this.#running = { info, abort };
    this.#ended = ended.promise;
    const made_us = effects.now_us();
    const options = {
      folders: keptFolders(settings),
      program: version,
      made_at: new Date(made_us / 1000).toISOString(),
      signal: signal ? AbortSignal.any([signal, abort.signal]) : abort.signal,
      onState: ({ done_bytes, total_bytes, tables_share }) => {
        const share = (done_bytes / Math.max(1, total_bytes) + tables_share) / 2;
        running.info = { ...running.info, bytes: done_bytes, share };
      },
    } satisfies Run["options"];
    const end = () => {
      if (this.#running === running) this.#running = undefined;
      ended.resolve();
    };
    return { name, made_us, options, end };
  }

  async #keepTime({ made_us }: Run): Promise<void> {
    await keepBackupTime(this.#parts.settings.data_dir, made_us / 1000);
  }

  /** Makes the folder, and removes what a crash left in it. */
  async #sweep(): Promise<void> {
    await Deno.mkdir(this.#path, { recursive: true, mode: 0o700 });
    for await (const { name } of Deno.readDir(this.#path)) {
      if (name.endsWith(".tar.new")) await Deno.remove(`${this.#path}/${name}`);
    }
  }

  /** Removes the oldest of those that the clock made, and before them those of the future. */
  async #prune(): Promise<void> {
    const scheduled = (await this.#names()).filter((name) => name.startsWith("scheduled-"));
    const now = timeIn(this.#nameOf("scheduled"));
    const [future, past] = [true, false].map((is_future) =>
      scheduled.filter((name) => timeIn(name) > now === is_future)
    );
    const surplus = [...future, ...past].slice(0, -this.#parts.settings.backup_keep);
    for (const name of surplus) await Deno.remove(`${this.#path}/${name}`);
  }

  #nameOf(cause: Cause): string {
    return backupName(cause, this.#parts.effects.now_us());
  }

  /** The files here that are backups by their names, the oldest first. */
  async #names(): Promise<string[]> {
    const entries = await Array.fromAsync(Deno.readDir(this.#path)).catch(() => []);
    return entries.map(({ name }) => name).filter((name) => name_pattern.test(name))
      .sort((a, b) => timeIn(a) < timeIn(b) ? -1 : 1);
  }
}

const name_pattern = /^[a-z0-9-]+-\d{8}T\d{6}Z\.tar$/;

/** The name of a backup that is made at an instant. */
export function backupName(cause: string, now_us: number): string {
  const time = new Date(now_us / 1000).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `${cause}-${time}.tar`;
}

function timeIn(name: string): string {
  return /\d{8}T\d{6}Z/.exec(name)?.[0] ?? "";
}

/** Throws a `Fault` (unavailable), which says what helps, where there is no room for so much. */
export async function requireRoom(
  path: string,
  bytes: number,
  { remedy = "remove old backups, or set backup_dir to another disk" } = {},
): Promise<void> {
  const free = await freeBytes(path);
  const needed = bytes + backup_limits.spare_bytes;
  if (free >= needed) return;
  const gib = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
  const what = `${gib(needed)} are needed in ${path}, ${gib(free)} are free`;
  throw new Fault("unavailable", `${what}: ${remedy}`);
}
