// What became of a file's rows, and the way to see them.
import { numberText } from "../frame/number.ts";
import { Link } from "../parts/message.tsx";
import { Panel } from "../parts/panel.tsx";
import { ReasonList } from "./reason_list.tsx";
import { say } from "./say.ts";
import type { Check, ImportedFile, Report } from "./store.ts";

/** Counts by what became of the rows, and why some were rejected. */
export function ReportPanel({ file, report }: {
  readonly file: ImportedFile;
  readonly report: Report;
}) {
  const { state, check } = file;
  const counts = [
    [say().accepted, report.accepted],
    ...report.corrected ? [[say().corrected, report.corrected] as const] : [],
    [say().duplicates, report.duplicates],
    [say().rejected, report.rejected_count],
  ] as const;
  return (
    <Panel title={say().report}>
      <dl class="import-facts import-counts">
        {counts.map(([name, count]) => (
          <div>
            <dt>{name}</dt>
            <dd>{numberText(count)}</dd>
          </div>
        ))}
      </dl>
      {state === "imported" && (
        <p class={report.whole ? "said" : "said failed"} role="status">
          {report.whole ? say().whole : say().not_whole}
        </p>
      )}
      {["cancelled", "failed", "refused"].includes(state) && <p>{say().part}</p>}
      {report.reasons.length > 0 && <ReasonList reasons={report.reasons} />}
      {check?.span && report.accepted + report.duplicates > 0 && (
        <Link page="trends" params={trendOf(check)} class="button import-trends">
          {say().trends}
        </Link>
      )}
    </Panel>
  );
}

const shown_curves = 4;
const beside_ms = 60_000;

/** The parameters that show a file's first tags of numbers over its range. */
function trendOf({ columns, span }: Check) {
  const at = (text: string, by_ms: number) =>
    new Date(Date.parse(text) + by_ms).toISOString().replace(".000Z", "Z");
  const curves = columns.filter(({ kind }) => kind !== "text").slice(0, shown_curves)
    .map(({ tag }) => encodeURIComponent(tag)).join(",");
  return { from: at(span!.from, -beside_ms), to: at(span!.to, beside_ms), curves };
}
