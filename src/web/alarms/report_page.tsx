// The report of a month: how the alarms do by ISA-18.2 and EEMUA 191.
import type { ComponentChildren } from "preact";
import { moment_minute_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { numberText, percentText, spanText } from "../frame/number.ts";
import { change, param } from "../frame/place.ts";
import { project, zone } from "../frame/session.ts";
import { dateText, dayAfter, dayOf, dayStart, instantText, monthText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { alarmOf } from "../alarm/alarm.ts";
import { acceptable_day, most_day, type Report, reportOf } from "../alarm/report.ts";
import { ReportTables } from "./report_tables.tsx";
import { say } from "../alarm/say.ts";
import { getAlarms } from "./store.ts";

/** The report, with the month and the number of operators to choose. */
export function ReportPage() {
  const now = moment_minute_ms.value;
  const newest = dayOf(now, zone.value).slice(0, 7);
  const month = /^\d{4}-\d\d$/.test(param("month") ?? "") ? param("month")! : newest;
  const positions = Math.max(1, Math.round(Number(param("positions") ?? 1)) || 1);
  const from_ms = dayStart(`${month}-01`, zone.value);
  const to_ms = Math.min(dayStart(`${monthAfter(month, 1)}-01`, zone.value), now);
  const key = from_ms < to_ms ? [project.value!.id, from_ms, to_ms] as const : undefined;
  const loaded = useLoad(key, async (_, signal) => {
    const rows = await getAlarms({ from_ms, to_ms }, signal);
    return rows.map(alarmOf);
  });
  return (
    <Panel
      class="alarm-report"
      title={`${say().report}: ${monthText(`${month}-01`)}`}
      aside={<Link page="alarms">{say().list}</Link>}
    >
      <Choice {...{ month, newest, positions }} />
      <Loaded of={loaded}>
        {(alarms) => {
          const report = reportOf({ alarms, from_ms, to_ms, zone: zone.value, positions });
          return (
            <>
              {month === newest && (
                <p class="quiet">{say().report_so_far(instantText(to_ms, zone.value))}</p>
              )}
              <Heads report={report} />
              <Days {...{ report, positions, to_ms }} />
              <ReportTables report={report} to_ms={to_ms} />
              <p class="quiet definitions">{say().definitions}</p>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Choice({ month, newest, positions }: {
  readonly month: string;
  readonly newest: string;
  readonly positions: number;
}) {
  return (
    <div class="alarm-filters">
      <button
        type="button"
        aria-label={say().month_before}
        onClick={() => change({ month: monthAfter(month, -1) })}
      >
        ←
      </button>
      <b>{monthText(`${month}-01`)}</b>
      <button
        type="button"
        aria-label={say().month_after}
        disabled={month >= newest}
        onClick={() => change({ month: monthAfter(month, 1) })}
      >
        →
      </button>
      <label>
        {say().positions}{" "}
        <input
          type="number"
          min={1}
          max={50}
          value={positions}
          onChange={({ currentTarget }) => change({ positions: currentTarget.value })}
        />
      </label>
    </div>
  );
}

/** The figures that the guides name, each beside what they call usual. */
function Heads({ report }: { readonly report: Report }) {
  const { each_day, attend, standing, flood_share, floods } = report;
  return (
    <div class="heads">
      <Head
        name={say().each_day}
        value={numberText(each_day, 1)}
        hint={say().each_day_hint(acceptable_day, most_day)}
      />
      <Head
        name={say().raised_count}
        value={numberText(report.annunciated)}
        hint={report.information > 0 ? say().and_information(report.information) : ""}
      />
      <Head
        name={say().attend}
        value={attend.count === 0 ? "–" : spanText(attend.median_ms)}
        hint={`${
          attend.count === 0 ? say().attend_none : say().attend_p90(spanText(attend.p90_ms))
        } · ${say().unattended(report.unattended)}`}
      />
      <Head
        name={say().standing}
        value={numberText(standing.length)}
        hint={say().standing_hint}
      />
      <Head
        name={say().flood_time}
        value={percentText(flood_share)}
        hint={`${say().flood_count(floods.length)} · ${say().flood_hint}`}
      />
    </div>
  );
}

function Head({ name, value, hint }: {
  readonly name: string;
  readonly value: string;
  readonly hint: ComponentChildren;
}) {
  return (
    <div>
      <h3>{name}</h3>
      <b>{value}</b>
      <small class="quiet">{hint}</small>
    </div>
  );
}

/** How many came up on each day, for each position, against what is acceptable. */
function Days({ report: { days }, positions, to_ms }: {
  readonly report: Report;
  readonly positions: number;
  readonly to_ms: number;
}) {
  const most = Math.max(1, ...days.map(({ each }) => each));
  return (
    <section>
      <h3>{say().per_day}</h3>
      <table class="days">
        <thead>
          <tr>
            <th scope="col">{say().day}</th>
            <th scope="col" class="number">{say().number}</th>
            {positions > 1 && <th scope="col" class="number">{say().each}</th>}
            <th scope="col">
              <span class="hidden">{say().number}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, alarms, each }) => (
            <tr>
              <td>
                <Link page="alarms" params={{ tab: "all", days: "1", at: endOf(day, to_ms) }}>
                  {dateText(Date.parse(day), "UTC")}
                </Link>
              </td>
              <td class="number">{numberText(alarms)}</td>
              {positions > 1 && <td class="number">{numberText(each, 1)}</td>}
              <td class="day-bar">
                <i
                  class={each > most_day ? "over" : each > acceptable_day ? "much" : undefined}
                  style={{ width: `${each / most * 100}%` }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The end of a day, or of the report: a day's alarms are those of the 24 hours before. */
function endOf(day: string, to_ms: number): string {
  const end_ms = Math.min(dayStart(dayAfter(day), zone.value), to_ms) - 1000;
  return new Date(end_ms).toISOString().slice(0, 19) + "Z";
}

function monthAfter(month: string, months: number): string {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
}
