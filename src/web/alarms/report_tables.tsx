// The tables of a month's report: priorities, bad actors, what stands, and floods.
import { numberText, percentText, spanText } from "../frame/number.ts";
import { say as say_frame } from "../frame/say.ts";
import { zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Priority } from "../parts/priority.tsx";
import type { Alarm } from "../alarm/alarm.ts";
import type { Report } from "../alarm/report.ts";
import { say } from "../alarm/say.ts";
import { choosing } from "./view.ts";

/** What a month's figures are made of. */
export function ReportTables({ report, to_ms }: {
  readonly report: Report;
  readonly to_ms: number;
}) {
  return (
    <div class="report-tables">
      <Priorities report={report} />
      <BadActors report={report} />
      <Standing report={report} to_ms={to_ms} />
      <Floods report={report} />
    </div>
  );
}

function Priorities({ report: { priorities } }: { readonly report: Report }) {
  return (
    <section>
      <h3>{say().by_priority}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">{say().priority}</th>
            <th scope="col" class="number">{say().number}</th>
            <th scope="col" class="number">{say().share}</th>
            <th scope="col" class="number">{say().usual_share}</th>
          </tr>
        </thead>
        <tbody>
          {priorities.map(({ digit, count, share, usual }) => (
            <tr>
              <td>
                <Priority of={digit} /> {say_frame()[`priority_${digit}`]}
              </td>
              <td class="number">{numberText(count)}</td>
              <td class="number">{percentText(share)}</td>
              <td class="number">{percentText(usual, 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function BadActors({ report: { bad_actors, bad_actor_share } }: { readonly report: Report }) {
  return (
    <section>
      <h3>{say().bad_actors}</h3>
      {bad_actors.length === 0 ? <p class="quiet">{say().no_alarms_month}</p> : (
        <>
          <p class="quiet">{say().bad_actors_share(percentText(bad_actor_share))}</p>
          <table>
            <thead>
              <tr>
                <th scope="col">{say().alarm}</th>
                <th scope="col" class="number">{say().number}</th>
                <th scope="col" class="number">{say().share}</th>
              </tr>
            </thead>
            <tbody>
              {bad_actors.map(({ alarm, count, share }) => (
                <tr>
                  <td>
                    <Link
                      page="alarms"
                      params={{
                        tab: "all",
                        days: "31",
                        q: `${alarm.rule_name} ${alarm.source_tag}`,
                      }}
                    >
                      {alarm.rule_name}
                    </Link>{" "}
                    {alarm.device_name ?? alarm.source_tag}
                  </td>
                  <td class="number">{numberText(count)}</td>
                  <td class="number">{percentText(share)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

function Standing({ report: { standing }, to_ms }: {
  readonly report: Report;
  readonly to_ms: number;
}) {
  return (
    <section>
      <h3>{say().standing}</h3>
      {standing.length === 0 ? <p class="quiet">{say().no_standing}</p> : (
        <table>
          <thead>
            <tr>
              <th scope="col">{say().alarm}</th>
              <th scope="col">{say().raised}</th>
              <th scope="col" class="number">{say().age}</th>
            </tr>
          </thead>
          <tbody>
            {standing.map((alarm) => (
              <tr>
                <td>
                  <Priority of={alarm.digit} /> <AlarmLink alarm={alarm} />
                </td>
                <td>{instantText(alarm.raised_ms, zone.value)}</td>
                <td class="number">{spanText(to_ms - alarm.raised_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Floods({ report: { floods } }: { readonly report: Report }) {
  return (
    <section>
      <h3>{say().floods}</h3>
      {floods.length === 0 ? <p class="quiet">{say().no_floods}</p> : (
        <table>
          <thead>
            <tr>
              <th scope="col">{say().began}</th>
              <th scope="col">{say().ended}</th>
              <th scope="col" class="number">{say().number}</th>
              <th scope="col" class="number">{say().peak}</th>
              <th scope="col">{say().first_alarm}</th>
            </tr>
          </thead>
          <tbody>
            {floods.map(({ from_ms, to_ms, alarms, peak, first }) => (
              <tr>
                <td>{instantText(from_ms, zone.value)}</td>
                <td>{instantText(to_ms, zone.value)}</td>
                <td class="number">{numberText(alarms)}</td>
                <td class="number">{numberText(peak)}</td>
                <td>
                  <AlarmLink alarm={first} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function AlarmLink({ alarm }: { readonly alarm: Alarm }) {
  return (
    <Link page="alarms" params={{ tab: "all", ...choosing(alarm.occurrence_id) }}>
      {alarm.rule_name}, {alarm.device_name ?? alarm.source_tag}
    </Link>
  );
}
