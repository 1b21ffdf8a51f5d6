// Each inverter as a tile: what part of the expected power it makes; marked where that is little.
import type { Load } from "../frame/load.ts";
import { percentText } from "../frame/number.ts";
import { devicesOf } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { dayOf, timeText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { say } from "./say.ts";

type Now = {
  readonly from_ms: number;
  readonly by_hierarchy_id: ReadonlyMap<string, { readonly index: number }>;
};

/** Below these parts of the expected power a tile is marked, and marked as out. */
const least = { index: 0.9, running: 0.05 };

/** The inverters of a plant in the last quarter-hour. */
export function Tiles({ of }: { readonly of: Load<Now> }) {
  const from_ms = of.data?.from_ms ?? NaN;
  const time = Number.isNaN(from_ms) ? "…" : timeText(from_ms, zone.value);
  return (
    <Panel title={say().tiles(time)}>
      <Loaded of={of} isEmpty={(it) => it.by_hierarchy_id.size === 0} empty={say().no_tiles}>
        {({ from_ms, by_hierarchy_id }) => (
          <ul class="tiles">
            {devicesOf("inverter").map(({ key, name, hierarchy_id }) => {
              const { index = NaN } = by_hierarchy_id.get(hierarchy_id ?? "") ?? {};
              return (
                <li key={key} class={kindOf(index)}>
                  <Link
                    page="inverters"
                    params={{
                      device: key,
                      day: dayOf(from_ms, zone.value),
                      cell: new Date(from_ms).toISOString().slice(0, 19) + "Z",
                    }}
                    title={titleOf(name, index)}
                  >
                    <span>{shortName(name)}</span> <b>{percentText(index, 0)}</b>
                  </Link>
                </li>
              );
            })}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

function titleOf(name: string, index: number): string {
  return say().tile(name, Number.isNaN(index) ? say().not_known : percentText(index));
}

function kindOf(index: number): string {
  if (Number.isNaN(index)) return "unknown";
  if (index < least.running) return "out";
  return index < least.index ? "low" : "";
}

/** A name without the word that all of them share. */
function shortName(name: string): string {
  return name.replace(/^\D+(?=\d)/, "") || name;
}
