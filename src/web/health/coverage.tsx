// Coverage of the last days: how much of the daylight was measured, by component and by device.
import { moment_minute_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { percentText } from "../frame/number.ts";
import { getPerformance, performance_path, performanceParams } from "../frame/performance.ts";
import { change, param } from "../frame/place.ts";
import { deviceOf, devices, plant_load } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dateText, dayAfter, dayOf, dayStart } from "../frame/zone.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import {
  type Cover,
  coversOf,
  gradeOf,
  meanOf,
  type Pair,
  pairsOf,
  pairWord,
  sinceFirst,
  worstFirst,
} from "./cover.ts";
import { Listing } from "../parts/listing.tsx";
import { measureText, say } from "./say.ts";

const spans = [7, 14, 30] as const;

/** The section. */
export function Coverage() {
  const pairs = pairsOf(devices.value);
  const opened = pairs.find((pair) => pairWord(pair) === param("of"));
  const days = useDays();
  return (
    <Panel
      title={opened ? say().coverage_of(pairText(opened)) : say().section_coverage}
      aside={opened && <CoverageExport pair={opened} days={days} />}
    >
      <p class="row">
        {opened && (
          <button type="button" onClick={() => change({ of: undefined })}>
            {say().all_components}
          </button>
        )}
        {spans.map((span) => (
          <button
            type="button"
            aria-pressed={span === days.length}
            onClick={() => change({ days: String(span) })}
          >
            {say().days(span)}
          </button>
        ))}
      </p>
      <p class="quiet">{say().coverage_help}</p>
      {opened ? <ByDevice pair={opened} days={days} /> : <ByPair pairs={pairs} days={days} />}
    </Panel>
  );
}

/** The whole days before the moment that is looked at. */
function useDays(): readonly string[] {
  const count = spans.find((it) => String(it) === param("days")) ?? 14;
  const today = dayOf(moment_minute_ms.value, zone.value);
  return Array.from({ length: count }, (_, i) => dayAfter(today, i - count));
}

type Asked = { readonly pair: Pair; readonly days: readonly string[] };

function queryOf({ pair, days }: Asked, group_by: "project_id" | "hierarchy_id") {
  return {
    project_id: project.value!.id,
    ...pair,
    interval: "OneDay",
    from: days[0],
    to: days.at(-1)!,
    group_by,
    include: ["matched"],
    columns: [group_by, "coverage"],
  } as const;
}

async function read(
  asked: Asked,
  group_by: "project_id" | "hierarchy_id",
  signal: AbortSignal,
): Promise<Cover[]> {
  const rows = await getPerformance(queryOf(asked, group_by), signal);
  const starts = asked.days.map((day) => dayStart(day, zone.value));
  return sinceFirst(coversOf(rows, { group: group_by, starts }));
}

function CoverageExport(asked: Asked) {
  const query = performanceParams(queryOf(asked, "hierarchy_id"));
  return <Export path={performance_path} query={query} name={`coverage_${asked.pair.measure}`} />;
}

function ByPair({ pairs, days }: {
  readonly pairs: readonly Pair[];
  readonly days: readonly string[];
}) {
  const key = [project.value!.id, pairs.map(pairWord), days] as const;
  const covers = useLoad(
    pairs.length > 0 ? key : undefined,
    (_, signal) =>
      Promise.all(pairs.map(async (pair) => {
        const [cover] = await read({ pair, days }, "project_id", signal);
        return { id: pairWord(pair), days: cover?.days ?? days.map(() => NaN) };
      })),
  );
  if (plant_load.value.data && pairs.length === 0) {
    return (
      <p>
        {say().no_coverage} <a href="/docs/api/plant#site_put">{say().how_to_sensors}</a>
      </p>
    );
  }
  return (
    <Loaded of={covers}>
      {(covers) => (
        <Listing
          label={say().section_coverage}
          is_dense
          columns={columnsOf(say().component, days)}
          rows={covers.map(({ id, days: shares }) => ({
            key: id,
            cells: [
              <Link page="health" params={{ section: "coverage", of: id, days: param("days") }}>
                {pairText(pairs.find((pair) => pairWord(pair) === id)!)}
              </Link>,
              ...sharesOf(shares),
            ],
          }))}
        />
      )}
    </Loaded>
  );
}

function ByDevice({ pair, days }: Asked) {
  const covers = useLoad(
    [project.value!.id, pairWord(pair), days],
    (_, signal) => read({ pair, days }, "hierarchy_id", signal),
  );
  return (
    <Loaded of={covers} isEmpty={(rows) => rows.length === 0} empty={say().no_coverage}>
      {(covers) => (
        <Listing
          label={say().coverage_of(pairText(pair))}
          is_dense
          columns={columnsOf(say().device, days)}
          rows={worstFirst(covers).map((cover) => deviceRow(cover, { pair, days }))}
        />
      )}
    </Loaded>
  );
}

function deviceRow({ id, days: shares }: Cover, { pair, days }: Asked) {
  const device = deviceOf(id);
  const curve = device && `${encodeURIComponent(device.key)}:${pair.measure}`;
  const span = {
    from: new Date(dayStart(days[0], zone.value)).toISOString(),
    to: new Date(dayStart(dayAfter(days.at(-1)!), zone.value)).toISOString(),
  };
  return {
    key: id,
    cells: [
      curve ? <Link page="trends" params={{ curves: curve, ...span }}>{device.name}</Link> : id,
      ...sharesOf(shares),
    ],
  };
}

function columnsOf(first: string, days: readonly string[]) {
  const names = days.map((day) => dateText(dayStart(day, zone.value), zone.value));
  return [first, say().mean, ...names].map((name, i) => ({ name, is_number: i > 0 }));
}

function sharesOf(days: readonly number[]) {
  return [
    <b>{percentText(meanOf(days))}</b>,
    ...days.map((share) => <span class={`covered ${gradeOf(share) ?? ""}`}>{shareText(share)}
    </span>),
  ];
}

/** A part that is missing is not rounded away. */
function shareText(share: number): string {
  return percentText(share === 1 ? 1 : Math.min(share, 0.994), 0);
}

function pairText({ component, measure }: Pair): string {
  const name = component === "inverter" || component === "meter"
    ? say()[`component_${component}`]
    : component;
  return `${name}, ${measureText(measure)}`;
}
