// Who sent which value to which device, what it had before and after, and how that ended.
import { getJson } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { shortNumberText } from "../frame/number.ts";
import { project } from "../frame/session.ts";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { When } from "../parts/when.tsx";
import { say } from "./say.ts";

type Command = {
  readonly id: string;
  readonly device: string;
  readonly tag: string;
  readonly value: number;
  readonly unit: string;
  readonly note: string | null;
  readonly before: number | null;
  readonly after: number | null;
  readonly outcome: "under_way" | "confirmed" | "refused" | "not_sent" | "unconfirmed" | "unknown";
  readonly reason: string | null;
  readonly author: string;
  readonly asked_at: string;
};

const refresh_ms = 10_000;
const shown = 200;
const most_decimals = 3;

/** The section. */
export function Setpoints() {
  const commands = useLoad(
    [project.value!.id],
    ([project_id], signal) =>
      getJson<readonly Command[]>(
        "/platform/v1/setpoints/log",
        { project_id, limit: `${shown}` },
        signal,
      ),
    { refresh_ms },
  );
  return (
    <Panel
      title={say().section_setpoints}
      aside={<a href="/docs/api/plant#setpoint_send">{say().how_setpoints}</a>}
    >
      <Loaded
        of={commands}
        isEmpty={(commands) => commands.length === 0}
        empty={say().no_setpoints}
      >
        {(commands) => (
          <Listing
            label={say().section_setpoints}
            columns={[
              { name: say().sent_value },
              { name: say().sent_outcome },
              { name: say().sent_before, is_number: true },
              { name: say().sent_after, is_number: true },
              { name: say().sent_by },
              { name: say().sent_at },
            ]}
            rows={commands.map((command) => ({
              key: command.id,
              cells: cellsOf(command),
              below: belowOf(command),
            }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function cellsOf({ tag, value, unit, outcome, before, after, author, asked_at }: Command) {
  return [
    <>
      {tag} = {textOf(value, unit)}
    </>,
    <span class={outcome === "confirmed" || outcome === "under_way" ? "badge" : "badge dead"}>
      {say()[`outcome_${outcome}`]}
    </span>,
    textOf(before, unit),
    textOf(after, unit),
    author,
    <When at={asked_at} />,
  ];
}

function belowOf({ device, reason, note }: Command) {
  if (reason === null && note === null) return undefined;
  return <p>{[device, note, reason].filter((it) => it !== null).join(" · ")}</p>;
}

function textOf(value: number | null, unit: string): string {
  if (value === null) return "–";
  return `${shortNumberText(value, most_decimals)} ${unit === "1" ? "" : unit}`.trim();
}
