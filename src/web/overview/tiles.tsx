// Each inverter as a tile: what part of the expected power it makes; marked where that is little.
import type { Load } from "../frame/load.ts";
import { percentText } from "../frame/number.ts";
import { type Device, devicesOf } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { dayOf, timeText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { useNow } from "./now.ts";
import { say } from "./say.ts";

type Quarter = { readonly from_ms: number; readonly index_of: ReadonlyMap<string, number> };

/** Below these parts of the expected power a tile is marked, and marked as out. */
const least = { index: 0.9, running: 0.05 };

/** The inverters of a plant in the last quarter-hour, and which of them are out now. */
export function Tiles({ of, out_ids }: {
  readonly of: Load<Quarter>;
  readonly out_ids: ReadonlySet<string> | undefined;
}) {
  const now = useNow(out_ids);
  const { from_ms = NaN } = of.data ?? {};
  const ends = Number.isNaN(from_ms) ? [] : [from_ms, from_ms + 900_000];
  const times = ends.map((it) => timeText(it, zone.value)).join("–");
  return (
    <Panel title={say().tiles(times)}>
      <Loaded of={of} isEmpty={(it) => it.index_of.size === 0} empty={say().no_tiles}>
        {({ from_ms, index_of }) => (
          <ul class="tiles">
            {devicesOf("inverter").map((device) => (
              <Tile
                key={device.key}
                device={device}
                from_ms={from_ms}
                index={index_of.get(device.hierarchy_id ?? "") ?? NaN}
                out={now.get(device.device_id)?.out}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

type TileProps = {
  readonly device: Device;
  readonly from_ms: number;
  readonly index: number;
  /** By what it is out now. */
  readonly out: string | undefined;
};

/** An inverter that is out now opens on its day, where the newest is; else on the quarter-hour. */
function Tile({ device: { key, name }, from_ms, index, out }: TileProps) {
  const cell = new Date(from_ms).toISOString().slice(0, 19) + "Z";
  const percent = Number.isNaN(index) ? say().not_known : percentText(index);
  const title = out === undefined ? say().tile(name, percent) : say().tile_out(name, out, percent);
  return (
    <li class={out === undefined ? kindOf(index) : "out"}>
      <Link
        page="inverters"
        params={{
          device: key,
          day: dayOf(from_ms, zone.value),
          cell: out === undefined ? cell : undefined,
        }}
        title={title}
      >
        <span>{shortName(name)}</span>{" "}
        <b>{out === undefined ? percentText(index, 0) : say().out}</b>
      </Link>
    </li>
  );
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
