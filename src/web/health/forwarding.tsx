// How forwarding goes: to the centre, what keeps it back and costs; from gateways, which are away.
import { getJson } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { lagText, numberText } from "../frame/number.ts";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Ago, When } from "../parts/when.tsx";
import { Gateways } from "./gateways.tsx";
import { say } from "./say.ts";
import { type SentDay, SentDays } from "./sent_days.tsx";
import { type SiteState, SiteStates } from "./site_states.tsx";

type Project = {
  readonly key: string;
  readonly at_centre: boolean | null;
  readonly lag_s: number;
  readonly waiting_rows: number;
  readonly set_aside_rows: number;
  readonly spans: number;
  readonly waiting: readonly { readonly from: string; readonly to: string | null }[];
};

type Upstream = {
  readonly is_set: boolean;
  readonly url: string | null;
  readonly connected: boolean;
  readonly reason: string | null;
  readonly trouble_since: string | null;
  readonly rows_per_s: number;
  readonly projects: readonly Project[];
  readonly sites: readonly SiteState[];
  readonly days: readonly SentDay[];
};

const refresh_ms = 5_000;

/** The section. */
export function Forwarding() {
  const upstream = useLoad(
    [],
    (_, signal) => getJson<Upstream>("/platform/v1/upstream", {}, signal),
    { refresh_ms },
  );
  return (
    <>
      <Panel
        title={say().section_forwarding}
        aside={<a href="/docs/api/operation#upstream">{say().how_gateway}</a>}
      >
        <Loaded
          of={upstream}
          isEmpty={({ is_set }) => !is_set}
          empty={say().no_centre}
        >
          {(upstream) => (
            <>
              <Line {...upstream} />
              <Projects projects={upstream.projects} />
              <SiteStates sites={upstream.sites} />
              <SentDays days={upstream.days} />
            </>
          )}
        </Loaded>
      </Panel>
      <Gateways />
    </>
  );
}

function Line({ url, connected, reason, trouble_since, rows_per_s }: Upstream) {
  return (
    <p>
      <span class={connected ? "badge" : "badge dead"}>
        {connected ? say().line_up : say().line_down}
      </span>{" "}
      <code>{url}</code> · {say().rows_per_s(numberText(rows_per_s))}
      {reason && (
        <>
          <br />
          {reason} {trouble_since && (
            <span class="quiet">
              (<Ago at={trouble_since} />)
            </span>
          )}
        </>
      )}
    </p>
  );
}

function Projects({ projects }: Pick<Upstream, "projects">) {
  return (
    <Listing
      label={say().forwarded_projects}
      columns={[
        { name: say().forwarded_project },
        { name: say().behind, is_number: true },
        { name: say().waiting_rows, is_number: true },
        { name: say().set_aside, is_number: true },
      ]}
      rows={projects.map((project) => ({
        key: project.key,
        cells: [
          project.key,
          lagText(project.lag_s),
          numberText(project.waiting_rows),
          numberText(project.set_aside_rows),
        ],
        below: waitingOf(project),
      }))}
    />
  );
}

/** What of the past is not at the centre yet; undefined for nothing. */
function waitingOf({ at_centre, spans, waiting }: Project) {
  if (at_centre === false) return <p>{say().not_at_centre}</p>;
  const past = waiting.filter(({ to }) => to !== null);
  if (past.length === 0) return undefined;
  return (
    <details>
      <summary>{say().past_spans(spans - 1)}</summary>
      <ul>
        {past.map(({ from, to }) => (
          <li>
            <When at={from} /> – <When at={to} />
          </li>
        ))}
      </ul>
    </details>
  );
}
