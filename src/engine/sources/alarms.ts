// Reads and stores the alarms that a source raises, as those that a source system sends.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { sent_fields, type SentState, type SnapshotRow } from "../../model/alarms/row.ts";
import { condition_kind, type ConditionAlarm } from "../../model/sources/condition.ts";
import { source_limits } from "../../model/sources/limits.ts";
import type { Source } from "../../model/sources/source.ts";
import { listStanding } from "../../store/alarms/standing.ts";
import type { Database } from "../../store/database.ts";
import type { AlarmIngest } from "../alarms/ingest.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { SourceAlarms } from "../devices/driver.ts";
import type { SourceState } from "../devices/state.ts";

const log = getLogger(["wattkeeper", "sources"]);

/** What alarms of sources are stored with. */
export type AlarmsParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly alarm_ingest: AlarmIngest;
  readonly effects: Pick<Effects, "sleep">;
};

/** Whose alarms they are, and what ends their storing. */
type AlarmsFor = {
  readonly source: Source;
  readonly state: SourceState;
  readonly signal: AbortSignal;
};

/** The alarms of one source. */
export class AlarmsOfSource implements SourceAlarms {
  readonly #parts: AlarmsParts;
  readonly #for: AlarmsFor;

  constructor(parts: AlarmsParts, own: AlarmsFor) {
    this.#parts = parts;
    this.#for = own;
  }

  get site(): string {
    return this.#site.key;
  }

  async standing(): Promise<readonly ConditionAlarm[]> {
    const { project_no, site_no } = this.#site;
    const found = await this.#parts.database.read((connection) =>
      listStanding(connection, {
        ...{ project_no, site_no, source: this.#for.source.key, kind: condition_kind },
        limit: source_limits.conditions,
      })
    );
    return found.map((occurrence) => {
      const state = Object.fromEntries(sent_fields.map((name) => [name, occurrence[name]]));
      const updated_at = occurrence.sent_at ?? occurrence.updated_at;
      return {
        occurrence_id: occurrence.occurrence_id,
        state: { ...state as SentState, updated_at },
      };
    });
  }

  /** While the database takes none they are tried again, as samples are. */
  async store(rows: readonly SnapshotRow[]): Promise<void> {
    const { effects } = this.#parts;
    const { signal } = this.#for;
    for (let held = false; !await this.#store(rows, held); held = true) {
      signal.throwIfAborted();
      await effects.sleep(source_limits.store_retry_ms, signal);
    }
  }

  /** Says whether they are on disk, or never will be. */
  async #store(rows: readonly SnapshotRow[], held: boolean): Promise<boolean> {
    const { catalog, alarm_ingest } = this.#parts;
    const { state } = this.#for;
    const project = catalog.projectByNo(this.#site.project_no)!;
    try {
      const numbered = rows.map((row, line) => ({ ...row, line }));
      const { rejected } = await alarm_ingest.add(project, {
        ...{ rows: numbered, rejected: [], rejected_count: 0 },
      });
      for (const { line, reason } of rejected) {
        state.rejected({ tag: rows[line].state.source_tag, reason });
      }
      return true;
    } catch (error) {
      if (error instanceof Fault && error.code !== "unavailable") {
        for (const { state: { source_tag } } of rows) {
          state.rejected({ tag: source_tag, reason: error.message });
        }
        return true;
      }
      if (!held) log.warning("alarms of sources are held: {error}", { error });
      return false;
    }
  }

  get #site() {
    return this.#parts.catalog.site(this.#for.source.site_no)!;
  }
}
