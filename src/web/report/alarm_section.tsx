// The alarms of the month, site by site.
import { numberText, spanText } from "../frame/number.ts";
import { Loaded } from "../parts/panel.tsx";
import { digitOf, Priority } from "../parts/priority.tsx";
import type { Days } from "../losses/range.ts";
import { useAlarmsOf } from "./data.ts";
import { say } from "./say.ts";

const most_alarms = 5;

type SiteAlarms = NonNullable<ReturnType<typeof useAlarmsOf>["data"]>[number];

/** How many alarms there were, of which priority, and the most frequent. */
export function AlarmSection({ range }: { readonly range: Days }) {
  return (
    <section>
      <h3>{say().alarms}</h3>
      <Loaded of={useAlarmsOf(range)}>
        {(sites) => sites.map((site) => <Site key={site.name} of={site} />)}
      </Loaded>
    </section>
  );
}

/** The most urgent first; of none of which there was nothing. */
function inOrder(by_severity: SiteAlarms["by_severity"]): SiteAlarms["by_severity"] {
  return by_severity.filter(({ count }) => count > 0)
    .toSorted((a, b) => digitOf(a.severity) - digitOf(b.severity));
}

function Site({ of }: { readonly of: SiteAlarms }) {
  const { name, annunciated, floods, standing, by_severity, top, time_to_clear, rate } = of;
  const clear_s = time_to_clear.median_s;
  if (annunciated === 0) return <p>{say().no_alarms(name)}</p>;
  return (
    <>
      <p>
        {say().alarms_of(name, numberText(annunciated))}{" "}
        {inOrder(by_severity).map(({ severity, count }) => (
          <span class="severity">
            <Priority of={digitOf(severity)} /> {numberText(count)}
          </span>
        ))}
      </p>
      <p class="small">
        {say().alarm_rate(numberText(rate.average, 2), numberText(rate.peak))} ·{" "}
        {say().floods(numberText(floods.count))} · {say().stale(numberText(standing.stale))}
        {clear_s !== null && ` · ${say().median_clear(spanText(clear_s * 1000))}`}
      </p>
      <ol class="plain">
        {top.alarms.slice(0, most_alarms).map(({ rule_name, source_tag, count }) => (
          <li>
            {numberText(count)} × {rule_name ?? ""} <span class="quiet">{source_tag}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
