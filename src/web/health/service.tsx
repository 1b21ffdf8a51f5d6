// The service itself: does it keep up, is there room, is its clock right, is there a backup.
import type { ComponentChildren } from "preact";
import { getJson } from "../frame/api.ts";
import { now_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { no_number, numberText, spanText } from "../frame/number.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Listing } from "../parts/listing.tsx";
import { say as say_frame } from "../frame/say.ts";
import { say } from "./say.ts";
import { type Check, type CheckName, checksOf, failingLoops, type Status } from "./status.ts";
import { Ago, When } from "../parts/when.tsx";

const refresh_ms = 5000;

/** A status, and when it came by the reader's clock. */
type Heard = { readonly status: Status; readonly heard_ms: number };

/** The section. */
export function Service() {
  const heard = useLoad(
    "status",
    async (_, signal): Promise<Heard> => {
      const status = await getJson<Status>("/admin/v1/status", {}, signal);
      return { status, heard_ms: now_ms.peek() };
    },
    { refresh_ms },
  );
  return (
    <Panel title={say().section_service} aside={<a href="/metrics">{say().for_monitors}</a>}>
      <Loaded of={heard}>
        {({ status, heard_ms }) => <Checks status={status} heard_ms={heard_ms} />}
      </Loaded>
    </Panel>
  );
}

function Checks({ status, heard_ms }: Heard) {
  const checks = checksOf(status, heard_ms);
  const wrong = checks.filter(({ is_wrong }) => is_wrong);
  const started = status.metrics.start_time_seconds?.[""];
  const started_at = started === undefined ? undefined : new Date(started * 1000).toISOString();
  return (
    <>
      <p>
        <b>{wrong.length === 0 ? say().all_right : say().wrong_lines(wrong.length)}</b>{" "}
        <span class="quiet">
          {say().version(status.version)}, {say().started} <When at={started_at} /> (<Ago
            at={started_at}
          />)
        </span>
      </p>
      <Listing
        label={say().section_service}
        columns={[
          { name: say().line },
          { name: say().state },
          { name: say().value, is_number: true },
          { name: say().meaning },
        ]}
        rows={checks.toSorted((a, b) => +b.is_wrong - +a.is_wrong).map((check) => ({
          key: check.name,
          cells: cellsOf(check, status),
        }))}
      />
      <Stored status={status} />
    </>
  );
}

function cellsOf({ name, value, is_wrong }: Check, status: Status): ComponentChildren[] {
  return [
    say()[`check_${name}`],
    is_wrong
      ? <span class="badge wrong">{say().wrong}</span>
      : <span class="quiet">{value === undefined ? say().not_known : say().right}</span>,
    value === undefined ? no_number : texts[name](value),
    is_wrong
      ? <Remedy of={name} status={status} />
      : <span class="quiet">{say()[`means_${name}`]}</span>,
  ];
}

/** What is to be done about a line that is wrong. */
function Remedy({ of, status }: { readonly of: CheckName; readonly status: Status }) {
  if (of === "ready") return <>{say().do_ready(status.not_ready ?? "")}</>;
  if (of === "loops") {
    const failing = failingLoops(status);
    return <>{say().do_loops(failing.map(([name, count]) => `${name} (${count})`).join(", "))}</>;
  }
  if (of === "webhooks") {
    return (
      <Link page="health" params={{ section: "deliveries", state: "dead" }}>
        {say().do_webhooks}
      </Link>
    );
  }
  if (of === "rules") return <Link page="rules">{say().do_rules}</Link>;
  return <>{say()[`do_${of}`]}</>;
}

const texts: Readonly<Record<CheckName, (value: number) => string>> = {
  ready: (value) => value === 1 ? say().yes : say().no,
  backlog: (value) => say().rows(numberText(value)),
  history: (value) => say().tag_days(numberText(value)),
  ingest: (value) => say().rows(numberText(value)),
  loops: (value) => say().failing(numberText(value)),
  rules: (value) => numberText(value),
  webhooks: (value) => numberText(value),
  disk: (value) => bytesText(value),
  memory: (value) => bytesText(value),
  clock: (value) => `${numberText(value, 0)}\u202fs`,
  backup: (value) => say_frame().ago(spanText(value * 1000)),
};

/** What is stored, in figures. */
function Stored({ status: { metrics } }: { readonly status: Status }) {
  const rows = Object.entries(metrics.stored_rows ?? {});
  const { accepted, rejected } = metrics.ingest_rows ?? {};
  return (
    <details class="stored">
      <summary>{say().stored}</summary>
      <dl>
        <dt>{say().database_file}</dt>
        <dd>{bytesText(metrics.database_bytes?.file)}</dd>
        <dt>{say().database_memory}</dt>
        <dd>{bytesText(metrics.database_bytes?.memory)}</dd>
        <dt>{say().rows_taken}</dt>
        <dd>{numberText(accepted)}</dd>
        <dt>{say().rows_refused}</dt>
        <dd>{numberText(rejected)}</dd>
        {rows.map(([table, count]) => (
          <>
            <dt>{say().rows_of(table)}</dt>
            <dd>{numberText(count)}</dd>
          </>
        ))}
      </dl>
    </details>
  );
}

function bytesText(bytes: number | undefined): string {
  if (bytes === undefined) return no_number;
  const [unit, size] = bytes >= 1024 ** 3 ? ["GiB", 1024 ** 3] as const : ["MiB", 1024 ** 2];
  const count = bytes / size;
  return `${numberText(count, count < 10 ? 1 : 0)}\u202f${unit}`;
}
