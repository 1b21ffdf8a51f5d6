// Work orders as evidence: what is in progress on inverters, and the days that it speaks of.
import type { Effects } from "../../base/effects.ts";
import { type State, type StateSpan, verdict } from "../../model/availability/availability.ts";
import { quarter_us } from "../../model/availability/fact.ts";
import { devicesAbove } from "../../model/plant/device_tree.ts";
import { workedDevices, type WorkOrder } from "../../model/work/work_order.ts";
import type { Connection } from "../../store/connection.ts";
import { listWindows, type WorkSpan } from "../../store/work/window.ts";
import { carriesInverter, markSpans } from "./day.ts";
import type { Stage } from "./load.ts";
import type { SitePlant, Stream } from "./plant.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Change } from "../work/identity_map.ts";
import type { WorkMark } from "../work/commit.ts";

/** Types of work that something broken asks for; any other is planned. */
const corrective_types = new Set(["corrective", "emergency", "warranty"]);

/** What the work on each inverter of a stream, and on what it hangs on, says of it. */
export async function loadOrders(
  session: Connection,
  { plant, stream }: { readonly plant: SitePlant; readonly stream: Stream },
  { scene }: Stage,
): Promise<readonly (readonly StateSpan[])[]> {
  const spans = await listWindows(session, {
    project_no: plant.project_no,
    from_us: scene.from * quarter_us,
    to_us: (scene.from + scene.count) * quarter_us,
  });
  const by_device = Map.groupBy(spans, ({ device_id }) => device_id);
  return stream.inverters.map(({ device }) =>
    [device.id, ...devicesAbove(plant.tree, device.id)]
      .flatMap((id) => by_device.get(id) ?? [])
      // Of some at once, the one that began first says why.
      .sort((a, b) => b.from_us - a.from_us || b.number - a.number)
      .map(claimOf)
  );
}

/**
 * Marks the day on which a write begins or ends work on inverters: what was before it stays as it
 * is, and `onWork` is called after the commit.
 */
export function workDays(
  { catalog, effects, onWork }: {
    readonly catalog: Catalog;
    readonly effects: Pick<Effects, "now_us">;
    readonly onWork: () => void;
  },
): WorkMark {
  return async ({ orders }, write) => {
    const devices = new Set(orders.flatMap(turnedDevices));
    const sites = new Set(
      [...devices].filter((id) => carriesInverter(catalog, id))
        .flatMap((id) => catalog.device(id)?.site_no ?? []),
    );
    const now_us = effects.now_us();
    const spans = [{ from_us: now_us, to_us: now_us + 1 }];
    let marked = false;
    for (const site_no of sites) {
      if (await markSpans(write, catalog, { site_no, spans, now_us })) marked = true;
    }
    return () => marked && onWork();
  };
}

function claimOf({ from_us, to_us, work_type, number }: WorkSpan): StateSpan {
  const state: State = corrective_types.has(work_type)
    ? "planned_corrective_action"
    : "scheduled_maintenance";
  const detail = `${work_type}, work order ${number}`;
  return { from_us, to_us, ...verdict(state, { evidence: "work_order", detail }) };
}

/** The devices that are worked on otherwise than before. */
function turnedDevices({ before, after }: Change<WorkOrder>): readonly string[] {
  const was = before ? workedDevices(before) : new Set<string>();
  const is = workedDevices(after);
  const is_retyped = before !== undefined && before.work_type !== after.work_type;
  return [...is_retyped ? was.union(is) : was.symmetricDifference(is)];
}
