// The alarms: what needs somebody first, and everything about the one that is chosen.
import { useLayoutEffect } from "preact/hooks";
import { at_ms, moment_minute_ms, moment_ms } from "../frame/clock.ts";
import type { Query } from "../frame/api.ts";
import { param } from "../frame/place.ts";
import { spanText } from "../frame/number.ts";
import { project, zone } from "../frame/session.ts";
import { dayStart, longDateText } from "../frame/zone.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { severityOf } from "../parts/priority.tsx";
import { Actions } from "./actions.tsx";
import type { Alarm, Tab } from "../alarm/alarm.ts";
import { outcome } from "./act.ts";
import { Detail, useWhole } from "./detail.tsx";
import { Filters, Tabs } from "./filter.tsx";
import { floodAt } from "../alarm/flood.ts";
import { Keys } from "./keys.tsx";
import { AlarmList } from "./list.tsx";
import { ReportPage } from "./report_page.tsx";
import { say } from "../alarm/say.ts";
import { Views } from "../views/views.tsx";
import { Sound } from "./sound.tsx";
import { alarms, alarms_path, page_rows, useAlarms } from "./store.ts";
import { counts, listed, marked_alarms, shown, shown_id } from "./shown.ts";
import { choosing, chosen_id, day, tab, timeShown, wanted } from "./view.ts";

/** The page: the list with its details, or the report of a month. */
export function AlarmsPage() {
  return param("view") === "report" ? <ReportPage /> : <ListPage />;
}

function ListPage() {
  useAlarms();
  const id = shown_id.value;
  const whole = useWhole(id, shown.value);
  const targets = marked_alarms.value;
  useLayoutEffect(() => {
    outcome.value = undefined;
  }, [id]);
  return (
    <div class={chosen_id.value === undefined ? "alarms" : "alarms chosen"}>
      <FloodBanner all={alarms.value.data ?? []} />
      <Panel
        class="list"
        title={say().title}
        aside={
          <>
            <Sound alarms={alarms.value.data} />
            <Keys whole={whole.data ?? undefined} />
            <Views page="alarms" />
            <Link page="alarms" params={{ view: "report" }}>{say().report}</Link>
            {at_ms.value === undefined && <Rows />}
          </>
        }
      >
        <Tabs counts={alarms.value.data && counts.value} />
        <Filters />
        {day.value !== undefined && <OfDay day={day.value} />}
        {targets.length > 0 && <Bulk targets={targets} />}
        <Loaded of={alarms.value}>
          {() => <AlarmList alarms={listed.value} chosen={id} />}
        </Loaded>
      </Panel>
      <Chosen {...{ id, whole }} />
    </div>
  );
}

/** What the service filters a tab's alarms by; of the others all are given. */
const tab_filters: Readonly<Partial<Record<Tab, Query>>> = {
  needs: { status: ["open", "claimed"], active: true },
  shelved: { status: ["shelved"] },
};

/** The alarms of the days that are shown, of the devices and priorities that are looked for. */
function Rows() {
  const filter = tab_filters[tab.value];
  const { from_ms, to_ms } = timeShown(moment_minute_ms.value);
  const { digits = [], device_id } = wanted.value;
  const severities = digits.map(severityOf);
  const query = {
    project_id: project.value!.id,
    from: new Date(from_ms).toISOString(),
    to: to_ms === undefined ? undefined : new Date(to_ms).toISOString(),
    device_id,
    ...filter,
    severity: severities.includes(undefined) ? [] : severities as readonly string[],
    columns,
    include: "judged",
    sort: "priority",
    limit: page_rows,
  };
  return (
    <Export
      path={alarms_path}
      query={query}
      name="alarms"
      of={say()[`tab_${filter ? tab.value : "all"}`]}
    />
  );
}

/** What is taken away of an alarm: all but where it is kept, and its story. */
const columns = "site,severity,rule_name,device_name,device_type,source_tag,measure,raised_at," +
  "cleared_at,status,resolution,raised_value,peak_value,peak_at,last_value,recovered_value," +
  "decoded_labels,point_key,alarm_class,is_nerc,kind,rule_version,rule_description," +
  "resolution_policy,events_total,occurrence_id,device_id,judged_at,gateway";

function Chosen({ id, whole }: {
  readonly id: string | undefined;
  readonly whole: ReturnType<typeof useWhole>;
}) {
  return (
    <section class="panel detail" aria-label={say().alarm}>
      {id === undefined ? <p class="quiet">{say().nothing_chosen}</p> : <Detail of={whole} />}
    </section>
  );
}

/** That a day of the past is looked at, and the way back to what is now. */
function OfDay({ day }: { readonly day: string }) {
  return (
    <p class="of-day">
      {say().of_day(longDateText(dayStart(day, zone.value), zone.value))}{" "}
      {at_ms.value === undefined && (
        <>
          {say().of_day_now} <Link page="alarms">{say().to_queue}</Link>
        </>
      )}
    </p>
  );
}

/** What can be done with those that are marked. */
function Bulk({ targets }: { readonly targets: readonly Alarm[] }) {
  return (
    <div class="bulk">
      <strong>{say().selected(targets.length)}</strong>
      <Actions targets={targets} place="bulk" />
    </div>
  );
}

/** That more comes up than can be answered, and what it began with. */
function FloodBanner({ all }: { readonly all: readonly Alarm[] }) {
  const flood = floodAt(all, moment_ms.value);
  if (!flood) return null;
  const { first, from_ms } = flood;
  return (
    <p class="flood" role="alert">
      <strong>{say().flood(flood.alarms, spanText(moment_ms.value - from_ms))}</strong>{" "}
      {say().flood_first}{" "}
      <Link page="alarms" params={{ tab: "all", ...choosing(first.occurrence_id) }}>
        {first.rule_name}, {first.device_name ?? first.source_tag}
      </Link>
    </p>
  );
}
