// Follows the conditions of an OPC UA server: each is an alarm while it is active.
import {
  clearedRow,
  type ConditionAlarm,
  type ConditionEvent,
  conditionOf,
  type ConditionScene,
  followCondition,
} from "../../model/sources/condition.ts";
import { type OpcuaEntry, pointTag } from "../../model/sources/kinds/opcua.ts";
import { source_limits } from "../../model/sources/limits.ts";
import type { SnapshotRow } from "../../model/alarms/row.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { type EventField, type ServerEvent, serverEvent } from "../../wire/sources/opcua_event.ts";
import type { SourceTools } from "../devices/driver.ts";
import type { OpcuaSession } from "./opcua_session.ts";

/** What a server is asked to tell of: its conditions, by the entry's `alarms`. */
type AlarmsEntry = NonNullable<OpcuaEntry["alarms"]>;

/** The conditions of one server, over all connections. */
export class Conditions {
  readonly #entry: OpcuaEntry;
  readonly #alarms: AlarmsEntry;
  readonly #tools: SourceTools;
  readonly #nodeAt: (node: string, namespaces: readonly string[]) => string | undefined;
  /** The newest alarm of each condition; undefined before it is read. */
  #known: Map<string, ConditionAlarm> | undefined;
  #scene: ConditionScene | undefined;
  /** The conditions that came since all were asked for; undefined while they are not. */
  #refresh: { readonly seen: Set<string>; readonly begun_ms: number } | undefined;
  /** Whether the server has said that it begins to tell of all. */
  #is_telling = false;

  constructor(
    entry: OpcuaEntry & { readonly alarms: AlarmsEntry },
    tools: SourceTools,
    nodeAt: (node: string, namespaces: readonly string[]) => string | undefined,
  ) {
    this.#entry = entry;
    this.#alarms = entry.alarms;
    this.#tools = tools;
    this.#nodeAt = nodeAt;
  }

  /** Has events sent, and asks for what is active by now. */
  async begin(session: OpcuaSession): Promise<void> {
    const { state, alarms } = this.#tools;
    this.#known ??= byCondition(await alarms.standing());
    this.#scene = this.#sceneAt(session.namespaces);
    this.#refresh = undefined;
    const node = this.#nodeAt(this.#alarms.node, session.namespaces);
    const status = node === undefined
      ? "the server has no such namespace"
      : await session.watchConditions(node);
    if (status !== "Good") {
      const message = `${this.#alarms.node} sends no events: ${status}`;
      state.note(`its conditions are not read: ${message}`);
      state.count({ kind: "protocol", message });
      this.#scene = undefined;
      return;
    }
    await this.refresh(session);
  }

  /** Asks for all conditions that still matter: something may have been missed. */
  async refresh(session: OpcuaSession): Promise<void> {
    if (this.#scene === undefined) return;
    const status = await session.refreshConditions();
    if (status === "BadRefreshInProgress") return;
    if (status !== "Good") {
      const message = `the server does not tell which conditions are active: ${status}`;
      this.#tools.state.note(message);
      return;
    }
    const { effects } = this.#tools;
    this.#refresh = { seen: new Set(), begun_ms: effects.monotonic_ms() };
    this.#is_telling = false;
  }

  /** Stores what events say. */
  async take(session: OpcuaSession, events: readonly (readonly EventField[])[]): Promise<void> {
    const { effects } = this.#tools;
    const now_us = effects.now_us();
    const latest_us = now_us + sample_limits.future_us;
    const rows: SnapshotRow[] = [];
    let is_due = this.#isLate();
    for (const fields of events) {
      const event = serverEvent(fields, { now_us, latest_us });
      if (event.kind === "refresh_required" || event.kind === "overflow") is_due = true;
      else this.#see(event, rows);
    }
    if (rows.length > 0) await this.#tools.alarms.store(rows);
    if (is_due) await this.refresh(session);
  }

  /** A server that says that it will tell of all, and does not, is asked again. */
  #isLate(): boolean {
    const { effects } = this.#tools;
    const { begun_ms = Infinity } = this.#refresh ?? {};
    return effects.monotonic_ms() - begun_ms > source_limits.refresh_ms;
  }

  #see(event: ServerEvent, rows: SnapshotRow[]): void {
    switch (event.kind) {
      case "refresh_start":
        this.#is_telling = true;
        break;
      case "refresh_end":
        if (this.#refresh !== undefined) this.#clearUnseen(this.#refresh.seen, event.at_us, rows);
        this.#refresh = undefined;
        break;
      case "condition":
        this.#refresh?.seen.add(event.event.condition);
        this.#follow(event.event, rows);
    }
  }

  #follow(event: ConditionEvent, rows: SnapshotRow[]): void {
    const known = this.#known!;
    const standing = known.get(event.condition);
    const after_gap = this.#refresh !== undefined && this.#is_telling;
    for (const row of followCondition(standing, { event, after_gap, scene: this.#scene! })) {
      rows.push(row);
      // The newest stand at the end.
      known.delete(event.condition);
      known.set(event.condition, row);
    }
    if (known.size > source_limits.conditions) forgetOldest(known);
  }

  /** What the server did not tell of is not active any more. */
  #clearUnseen(seen: ReadonlySet<string>, at_us: number, rows: SnapshotRow[]): void {
    const known = this.#known!;
    for (const [condition, standing] of known) {
      if (standing.state.cleared_at !== null || seen.has(condition)) continue;
      const row = clearedRow(standing, { at_us, site: this.#scene!.site });
      rows.push(row);
      known.set(condition, row);
    }
  }

  #sceneAt(namespaces: readonly string[]): ConditionScene {
    const { points, key } = this.#entry;
    const { devices, severity_from, alarm_class = null } = this.#alarms;
    const full = (node: string) => fullNode(this.#nodeAt(node, namespaces));
    const by_node = new Map<
      string | undefined,
      { readonly device?: string; readonly tag?: string }
    >([
      ...points.map((point) =>
        [full(point.node), { device: point.device, tag: pointTag(point) }] as const
      ),
      ...devices.map(({ node, device }) => [full(node), { device }] as const),
    ]);
    return {
      ...{ source: key, site: this.#tools.alarms.site, severity_from, alarm_class },
      placeOf: ({ source_node, input_node }) => ({
        ...by_node.get(source_node ?? ""),
        ...by_node.get(input_node ?? ""),
      }),
    };
  }
}

/** The newest alarm of each condition, the oldest first. */
function byCondition(standing: readonly ConditionAlarm[]): Map<string, ConditionAlarm> {
  const sorted = standing.toSorted((a, b) => a.state.raised_at - b.state.raised_at);
  return new Map(sorted.flatMap((it) => {
    const condition = conditionOf(it.state);
    return condition === undefined ? [] : [[condition, it] as const];
  }));
}

/** One that is active is never forgotten. */
function forgetOldest(known: Map<string, ConditionAlarm>): void {
  for (const [condition, { state }] of known) {
    if (state.cleared_at !== null) {
      known.delete(condition);
      return;
    }
  }
}

function fullNode(node: string | undefined): string | undefined {
  return node === undefined || node.startsWith("ns=") ? node : `ns=0;${node}`;
}
