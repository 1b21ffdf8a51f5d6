// The report: a month of a plant on A4, printed or saved as PDF by the browser.
import { change, param } from "../frame/place.ts";
import { project, zone } from "../frame/session.ts";
import { monthText } from "../frame/zone.ts";
import { useAccounts, useAvailability } from "../losses/data.ts";
import { daysText } from "../losses/toolbar.tsx";
import { lastDay } from "../losses/view.ts";
import { AlarmSection } from "./alarm_section.tsx";
import { Coverage, Definitions } from "./closing.tsx";
import { useIndexOf } from "./data.ts";
import { EnergySections, Summary } from "./energy_sections.tsx";
import { Made, Plant } from "./plant.tsx";
import { type Month, monthAfter, monthOf } from "./month.ts";
import { say } from "./say.ts";
import { WorkSection } from "./work_section.tsx";

/** A month of the plant. */
export function ReportPage() {
  const month = monthOf(param("month"), lastDay());
  const { range } = month;
  const accounts = useAccounts(range);
  const availability = useAvailability(range);
  const index = useIndexOf(range);
  return (
    <div class="report-page">
      <Choice of={month} />
      <article class="report">
        <header>
          <p class="quiet">{say().title}</p>
          <h2>{project.value!.name}</h2>
          <p>
            <b>{monthText(range.from)}</b> · {daysText(range)} · {zone.value}
          </p>
          {!month.is_whole && <p class="notice">{say().not_whole}</p>}
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
    </div>
  );
}

/** Which month, and the way to paper; not printed. */
function Choice({ of: { name } }: { readonly of: Month }) {
  const newest = lastDay().slice(0, 7);
  const to = (month: string) => change({ month });
  return (
    <div class="row report-choice">
      <button type="button" onClick={() => to(monthAfter(name, -1))}>‹ {say().earlier}</button>
      <label>
        {say().month}{" "}
        <input
          type="month"
          value={name}
          max={newest}
          onChange={({ currentTarget }) => currentTarget.value && to(currentTarget.value)}
        />
      </label>
      <button type="button" disabled={name >= newest} onClick={() => to(monthAfter(name, 1))}>
        {say().later} ›
      </button>
      <button type="button" class="main" onClick={() => print()}>{say().print}</button>
    </div>
  );
}
