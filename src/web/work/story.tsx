// What happened to an issue, who did it and when, and saying something about it.
import { useSignal } from "@preact/signals";
import type { HistoryRow } from "../../model/work/issue_shape.ts";
import { work_limits } from "../../model/work/limits.ts";
import { send } from "../frame/api.ts";
import { work_beat } from "../frame/live.ts";
import { project, zone } from "../frame/session.ts";
import { instantText, offsetText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { useSending } from "../parts/act.ts";
import { Refused } from "./act.tsx";
import { say } from "./say.ts";
import { issues_path } from "./store.ts";
import { actorText, numberText, valueText, wordOf } from "./value.ts";

/** The history, the newest first. */
export function Story({ history }: { readonly history: readonly HistoryRow[] }) {
  return (
    <section>
      <h3>{say().history}</h3>
      <ol class="work-story">
        {history.toReversed().map((row) => {
          const at = Date.parse(row.created_at);
          const { by, gateway, centre } = (row.detail ?? {}) as Readonly<Record<string, unknown>>;
          return (
            <li key={row.id}>
              <span class="quiet small">
                <time dateTime={row.created_at}>
                  {instantText(at, zone.value)} {offsetText(at, zone.value)}
                </time>{" "}
                · {typeof by === "string" ? by : actorText(row.user_id)}
                {typeof gateway === "string" && `, ${say().at_gateway(gateway)}`}
                {centre === true && `, ${say().at_centre}`}
              </span>
              <p class={row.kind === "commented" ? "said" : undefined}>
                <What row={row} />
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function What({ row }: { readonly row: HistoryRow }) {
  const { kind, field, previous_value, next_value } = row;
  const detail = (row.detail ?? {}) as Readonly<Record<string, unknown>>;
  switch (kind) {
    case "commented":
      return <>{String(detail.body ?? "")}</>;
    case "work_order_added":
      return (
        <Link page="work" params={{ order: String(detail.work_order_id) }}>
          {say().order_added(numberText(Number(detail.number)), String(detail.title))}
        </Link>
      );
    case "alarm_linked":
      return (
        <Link page="alarms" params={{ tab: "all", alarm: String(detail.occurrence_id) }}>
          {say().alarm_linked}
        </Link>
      );
    case "conflict":
      return <Conflict row={row} />;
    case "created":
    case "merged":
    case "deleted":
      return <>{say()[`history_${kind}`]}</>;
    default: {
      const name = field ?? kind.replace(/_changed$/, "");
      const [before, after] = [previous_value, next_value].map((it) => valueText(name, it));
      return <>{wordOf("field", name)}: {before} → {after}</>;
    }
  }
}

type Said = { readonly by: string | null; readonly at: string };

/** What two services made of the same thing: what holds, what does not, and who said so. */
function Conflict({ row: { field, previous_value, next_value, detail } }: {
  readonly row: HistoryRow;
}) {
  const { holds, lost, title, reason } = Object(detail) as {
    readonly holds?: Said;
    readonly lost?: Said;
    readonly title?: string;
    readonly reason: string | null;
  };
  const name = field ?? "";
  if (holds === undefined || lost === undefined) return <>{wordOf("field", name)}</>;
  const partsOf = ({ by, at }: Said, value: unknown) =>
    [
      valueIn(name, value),
      by ?? say().by_service,
      instantText(Date.parse(at), zone.value),
    ] as const;
  return (
    <>
      {title && `${title}: `}
      {wordOf("field", name)}: {say().conflict_held(...partsOf(holds, next_value))};{" "}
      {say().conflict_lost(...partsOf(lost, previous_value))}
      {reason && ` (${reason})`}
    </>
  );
}

/** A value; of a device with the state of its work. */
function valueIn(field: string, value: unknown): string {
  const [line] = Array.isArray(value) ? value : [];
  const text = valueText(field, value);
  return line?.status === undefined ? text : `${text} ${wordOf("line", line.status)}`;
}

/** The alarms that an issue is linked to, as its history has them. */
export function alarmsOf(history: readonly HistoryRow[]): readonly string[] {
  return history.filter(({ kind }) => kind === "alarm_linked")
    .map(({ detail }) =>
      String(
        (detail as unknown as Readonly<Record<string, unknown>>)
          .occurrence_id,
      )
    );
}

/** Says something about an issue. */
export function Comment({ issue_id }: { readonly issue_id: string }) {
  const text = useSignal("");
  const sending = useSending();
  const submit = async () => {
    await send("POST", `${issues_path}/${encodeURIComponent(issue_id)}/comment`, {
      query: { project_id: project.peek()!.id },
      body: { body: text.peek() },
    });
    text.value = "";
    work_beat.value++;
  };
  return (
    <form
      class="work-form"
      onSubmit={(event) => {
        event.preventDefault();
        void sending.send(submit);
      }}
    >
      <label>
        {say().comment}
        <textarea
          required
          rows={2}
          maxLength={work_limits.text_length}
          value={text.value}
          onInput={({ currentTarget }) => text.value = currentTarget.value}
          onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
            if (key === "Enter" && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <Refused problem={sending.problem} />
      <button type="submit" disabled={sending.is_sending || text.value.trim() === ""}>
        {sending.is_sending ? say().sending : say().comment_do}
      </button>
    </form>
  );
}
