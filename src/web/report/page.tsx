// The report: a month of a plant on A4, printed or saved as PDF by the browser.
import { change, param } from "../frame/place.ts";
import { project, zone } from "../frame/session.ts";
import { daysText, monthText } from "../frame/zone.ts";
import { Export } from "../parts/export.tsx";
import { Pending } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import { losses_path, lossQuery, useAccounts, useAvailability } from "../losses/data.ts";
import { lastDay } from "../losses/view.ts";
import { AlarmSection } from "./alarm_section.tsx";
import { Coverage, Definitions } from "./closing.tsx";
import { useIndexOf, useMonths } from "./data.ts";
import { EnergySections, Summary } from "./energy_sections.tsx";
import { Made, Plant } from "./plant.tsx";
import { isMonth, type Month, monthAfter, monthOf } from "./month.ts";
import { say } from "./say.ts";
import { WorkSection } from "./work_section.tsx";

/** A month of the plant; where the address names none, the months with data tell which. */
export function ReportPage() {
  const last = lastDay();
  const months = useMonths(last);
  const report = (months: readonly string[]) => {
    const month = monthOf(param("month"), { last, months });
    return (
      <>
        <Choice of={month} months={months} />
        <Report of={month} />
      </>
    );
  };
  return (
    <div class="report-page">
      {isMonth(param("month")) ? report(months.data ?? []) : <Loaded of={months}>{report}</Loaded>}
    </div>
  );
}

function Report({ of: month }: { readonly of: Month }) {
  const { range } = month;
  const accounts = useAccounts(range);
  const availability = useAvailability(range);
  const index = useIndexOf(range);
  return (
    <article class="report">
      <header>
        <p class="quiet">{say().title}</p>
        <h2>{project.value!.name}</h2>
        <p>
          <b>{monthText(range.from)}</b> · {daysText(range)} · {zone.value}
        </p>
        {!month.is_whole && <p class="notice">{say().not_whole}</p>}
        <Pending {...range} />
        <Plant />
      </header>
      <Summary {...{ accounts, availability, index }} />
      <EnergySections {...{ accounts, availability, range }} />
      <AlarmSection range={range} />
      <WorkSection range={range} />
      <Coverage {...{ accounts, availability, index, range }} />
      <Definitions />
      <Made />
    </article>
  );
}

/** Which month, and the way to paper; not printed. */
function Choice({ of: { name, range }, months }: {
  readonly of: Month;
  readonly months: readonly string[];
}) {
  const newest = lastDay().slice(0, 7);
  const to = (month: string) => change({ month });
  return (
    <div class="row report-choice">
      <button
        type="button"
        disabled={name <= (months[0] ?? "")}
        onClick={() => to(monthAfter(name, -1))}
      >
        ‹ {say().earlier}
      </button>
      <select
        aria-label={say().month}
        value={name}
        onChange={({ currentTarget }) => to(currentTarget.value)}
      >
        {[...new Set([...months, name])].toSorted().toReversed().map((month) => (
          <option key={month} value={month}>{monthText(`${month}-01`)}</option>
        ))}
      </select>
      <button type="button" disabled={name >= newest} onClick={() => to(monthAfter(name, 1))}>
        {say().later} ›
      </button>
      <Export
        path={losses_path}
        query={lossQuery(range, { interval: range.interval })}
        name={`losses ${name}`}
        of={say().by_day_short}
      />
      <button type="button" class="main" onClick={() => print()}>{say().print}</button>
    </div>
  );
}
