// Sends values to setpoints: checked, once each, one at a time for a device, and logged.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { Fault, refusal } from "../../base/fault.ts";
import { meant } from "../../base/did_you_mean.ts";
import { newId } from "../../base/id.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Project } from "../../model/plant/plant.ts";
import { setpoint_limits } from "../../model/setpoints/limits.ts";
import {
  type Command,
  command_form,
  type CommandEntry,
  commandFlaws,
  isSameCommand,
  type Setpoint,
} from "../../model/setpoints/setpoint.ts";
import type { Settings } from "../../model/setting.ts";
import { parseSource } from "../../model/sources/form.ts";
import { sourceDefinition } from "../../model/sources/kinds.ts";
import type { Source } from "../../model/sources/source.ts";
import type { Database } from "../../store/database.ts";
import {
  deleteOldCommands,
  endCommand,
  insertCommand,
  listBeside,
  listCommands,
  listUnderWay,
} from "../../store/setpoints/command.ts";
import { type Catalog, day_us } from "../catalog/catalog.ts";
import { nobodyKnows } from "../devices/command.ts";
import type { Sources } from "../sources/sources.ts";

const log = getLogger(["wattkeeper", "setpoints"]);

type SetpointParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly sources: Pick<Sources, "send" | "stateOf">;
  readonly settings: Pick<Settings, "setpoints" | "setpoint_keep_days">;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** A setpoint of a project, and its source. */
export type PlacedSetpoint = Setpoint & { readonly source: Source; readonly is_read: boolean };

/** Which part of the log is wanted. */
export type LogWish = {
  readonly tag?: string;
  readonly limit: number;
  readonly offset: number;
};

/** Whose command it is, and where it goes. */
type Asking = {
  readonly project: Project;
  readonly setpoint: PlacedSetpoint;
  readonly grant: Grant;
};

const cut_off = "the service ended while it was under way; it is not sent again";
const unstored = "how it ended could not be stored";

/** The setpoints of all projects, and their log. */
export class Setpoints {
  readonly #parts: SetpointParts;
  /** The ids of those that are being sent now, from before they are written down. */
  readonly #sending = new Set<string>();
  readonly #endings = new Set<Promise<unknown>>();

  private constructor(parts: SetpointParts) {
    this.#parts = parts;
  }

  /** Says of every command that was under way when the service ended that nobody knows its end. */
  static async open(parts: SetpointParts): Promise<Setpoints> {
    const { database } = parts;
    const lost = await database.read(listUnderWay);
    if (lost.length > 0) {
      await database.write(async ({ connection, now_us }) => {
        for (const id of lost) {
          await endCommand(connection, { ...nobodyKnows(cut_off), id, ended_at: now_us });
        }
      });
      log.warning("{count} setpoints were being sent when the service ended", {
        count: lost.length,
      });
    }
    return new Setpoints(parts);
  }

  /** Whether values are sent at all. */
  get is_on(): boolean {
    return this.#parts.settings.setpoints === "on";
  }

  /** The declared setpoints of a project, by tag. */
  of({ project_no }: Pick<Project, "project_no">): readonly PlacedSetpoint[] {
    const { catalog, sources } = this.#parts;
    return catalog.sources
      .filter(({ site_no }) => catalog.site(site_no)?.project_no === project_no)
      .flatMap((source) => {
        const entry = parseSource(source.definition);
        const is_read = sources.stateOf(source) !== undefined;
        return (sourceDefinition(entry).setpointsOf?.(entry) ?? [])
          .map(({ tag, device, limits }) => ({ tag, device, limits, source, is_read }));
      }).sort((a, b) => a.tag < b.tag ? -1 : 1);
  }

  /**
   * Sends a value and waits until it is known how that ended. A key that was used before gives the
   * command of that time, and sends nothing. Throws a `Fault`: not_available where none is sent
   * here, invalid for what the limits forbid, conflict for a key of another command, and while the
   * device or the limits want a pause.
   */
  async send(project: Project, data: unknown, grant: Grant): Promise<Command> {
    if (!this.is_on) {
      const advice = "set setpoints = on for the service to send them";
      throw new Fault("not_available", `values are not sent to setpoints here: ${advice}`);
    }
    const refuse = (flaws: Parameters<typeof refusal>[1]) =>
      refusal("the value can't be sent", flaws);
    const parsed = parseForm(command_form, data, { refuse });
    // No -0: nothing that is read back is one.
    const entry = { ...parsed, value: parsed.value + 0 };
    const setpoint = this.#find(project, entry.tag);
    const flaws = commandFlaws(entry, setpoint.limits);
    if (flaws.length > 0) throw refuse(flaws);
    const ending = this.#sendOnce(entry, { project, setpoint, grant });
    this.#endings.add(ending);
    return await ending.finally(() => this.#endings.delete(ending));
  }

  /** The log of a project, newest first. */
  async log(
    { project_no }: Pick<Project, "project_no">,
    { tag, ...page }: LogWish,
  ): Promise<readonly Command[]> {
    const wanted = { project_no, tag: tag ?? null, ...page };
    return await this.#parts.database.read((connection) => listCommands(connection, wanted));
  }

  /** Waits for the commands that are under way; the sources have ended before. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#endings);
  }

  #find(project: Project, tag: string): PlacedSetpoint {
    const all = this.of(project);
    const found = all.find((it) => it.tag === tag);
    if (found !== undefined) return found;
    const near = meant(tag, all.map((it) => it.tag)) || ": `wattkeeper setpoint list` shows them";
    const message = `is no setpoint that a source of the project declares${near}`;
    throw refusal("the value can't be sent", [{ path: "tag", message }]);
  }

  async #sendOnce(entry: CommandEntry, asking: Asking): Promise<Command> {
    const id = newId(this.#parts.effects);
    this.#sending.add(id);
    try {
      const { command, is_new } = await this.#begin(id, entry, asking);
      return is_new ? await this.#carryOut(command, asking.setpoint) : command;
    } finally {
      this.#sending.delete(id);
    }
  }

  /** Writes down that a command is under way, or finds the one of its key: in one transaction. */
  async #begin(
    id: string,
    entry: CommandEntry,
    { project: { project_no }, setpoint, grant }: Asking,
  ): Promise<{ readonly command: Command; readonly is_new: boolean }> {
    const { database, settings } = this.#parts;
    const { source, device, limits } = setpoint;
    return await database.write(async ({ connection, now_us }) => {
      const place = { project_no, source: source.key, device };
      const beside = await listBeside(connection, { ...place, ...entry });
      const same = beside.find(({ key }) => key === entry.key);
      if (same !== undefined && !isSameCommand(entry, same)) {
        throw new Fault("conflict", `the key ${entry.key} is of another command: give a new one`);
      }
      if (same !== undefined) return { command: same, is_new: false };
      const isStale = (it: Command) => it.outcome === "under_way" && !this.#sending.has(it.id);
      for (const stale of beside.filter(isStale)) {
        await endCommand(connection, { ...nobodyKnows(unstored), id: stale.id, ended_at: now_us });
      }
      requireRest(beside.filter((it) => !isStale(it)), { setpoint, now_us });
      const command: Command = {
        ...{ ...place, id, site_no: source.site_no, ...entry, note: entry.note ?? null },
        ...{ before: null, after: null, outcome: "under_way", reason: null },
        ...{ author: grant.name, user_id: grant.user_id, asked_at: now_us, ended_at: null },
      };
      await deleteOldCommands(connection, now_us - settings.setpoint_keep_days * day_us);
      await insertCommand(connection, command);
      log.info("{author} sends {value} {unit} to {tag}", {
        ...{ author: grant.name, value: entry.value, unit: limits.unit, tag: entry.tag },
      });
      return { command, is_new: true };
    });
  }

  async #carryOut(command: Command, { source, limits }: PlacedSetpoint): Promise<Command> {
    const { database, sources } = this.#parts;
    const { id, tag, value, unit } = command;
    const ended = await sources.send(source, { tag, value, limits })
      .catch((error) => nobodyKnows(String(error)));
    const reason = ended.reason?.slice(0, setpoint_limits.reason_length) ?? null;
    const ended_at = await database.write(async ({ connection, now_us }) => {
      await endCommand(connection, { ...ended, reason, id, ended_at: now_us });
      return now_us;
    });
    log.info("{value} {unit} to {tag}: {outcome} {reason}", {
      ...{ value, unit, tag, outcome: ended.outcome, reason: reason ?? "" },
    });
    return { ...command, ...ended, reason, ended_at };
  }
}

/** Throws a `Fault` where the device has a command, or the setpoint had one just now. */
function requireRest(
  beside: readonly Command[],
  { setpoint: { tag, device, limits: { every_s } }, now_us }: {
    readonly setpoint: PlacedSetpoint;
    readonly now_us: number;
  },
): void {
  const other = beside.find(({ outcome }) => outcome === "under_way");
  if (other !== undefined) {
    throw new Fault("conflict", `${device} has another command under way, to ${other.tag}`);
  }
  const sent = beside.filter((it) => it.tag === tag && it.outcome !== "not_sent");
  const last_us = sent.reduce((last, { asked_at }) => Math.max(last, asked_at), -Infinity);
  const passed_s = (now_us - last_us) / 1e6;
  if (passed_s < 0 || passed_s >= every_s) return;
  const retry_after_s = Math.ceil(every_s - passed_s);
  throw new Fault("too_many", `${tag} takes one command in ${every_s} s: wait ${retry_after_s} s`, {
    retry_after_s,
  });
}
