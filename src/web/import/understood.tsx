// How a file is understood: its times, its columns with their tags, its first rows, its flaws.
import type { ComponentChildren } from "preact";
import { numberText, spanText } from "../frame/number.ts";
import { Listing } from "../parts/listing.tsx";
import { Panel } from "../parts/panel.tsx";
import { When } from "../parts/when.tsx";
import { type ColumnRow, columnRows, type Draft, taking, withNoValue, withTag } from "./draft.ts";
import { ReasonList } from "./reason_list.tsx";
import { say } from "./say.ts";
import type { Check } from "./store.ts";

/** More rows would make the page slow. */
const most_columns = 500;

type Understood = {
  readonly check: Check;
  readonly draft: Draft;
  /** Undefined while nothing can be changed. */
  readonly onChange: ((draft: Draft) => void) | undefined;
};

/** Everything that was found in a file. */
export function UnderstoodPanels(props: Understood) {
  const { check } = props;
  return (
    <>
      <Panel title={say().understood}>
        <Facts check={check} />
        <Flaws {...props} />
      </Panel>
      <Columns {...props} />
      {check.first_rows.length > 0 && <FirstRows rows={check.first_rows} />}
    </>
  );
}

function Facts({ check }: { readonly check: Check }) {
  const { format, rows, tags, rejected_count, span, time, cells, keys } = check;
  return (
    <dl class="import-facts">
      <Fact name={say().format}>{format}</Fact>
      <Fact name={say().values}>{say().values_of(numberText(rows), numberText(tags))}</Fact>
      <Fact name={say().rejected}>{numberText(rejected_count)}</Fact>
      {span && (
        <Fact name={say().range}>
          <When at={span.from} /> {say().range_of} <When at={span.to} />
        </Fact>
      )}
      {time && (
        <>
          <Fact name={say().time}>
            {time.columns.join(" + ")}, {time.example}
            {time.step_s > 0 && `, ${say().every(stepText(time.step_s))}`}
            {time.moved && `; ${say().moved}`}
          </Fact>
          <Fact name={say().zone}>
            {time.timezone === null || time.timezone_by === null
              ? say().zone_none
              : `${time.timezone}, ${say()[`zone_by_${time.timezone_by}`]}`}
          </Fact>
        </>
      )}
      {cells && (
        <Fact name={say().cells}>
          {say().cells_of(cells.delimiter === "\t" ? say().tab : cells.delimiter, cells.decimal)}
        </Fact>
      )}
      {keys.length > 0 && <Fact name={say().keys}>{keys.join(" + ")}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function stepText(step_s: number): string {
  return step_s % 60 === 0 ? spanText(step_s * 1000) : `${step_s}\u202fs`;
}

/** What is rejected, what repeats, what may mean no value. */
function Flaws({ check, draft, onChange }: Understood) {
  const { reasons, repeats, doubtful } = check;
  return (
    <>
      {reasons.length > 0 && <ReasonList reasons={reasons} />}
      {repeats.differing > 0 && <p>{say().repeats(numberText(repeats.differing))}</p>}
      {doubtful.map(({ value, count, tag }) => (
        <p class="row">
          {say().doubt(numberText(count), String(value), tag)}
          {onChange && (
            <button type="button" onClick={() => onChange(withNoValue(draft, value))}>
              {say().doubt_none}
            </button>
          )}
        </p>
      ))}
    </>
  );
}

function Columns({ check, draft, onChange }: Understood) {
  const all = columnRows(check, draft);
  const columns = [say().column, say().tag, say().kind, say().unit, say().known]
    .map((name) => ({ name }));
  const rows = all.slice(0, most_columns).map((column) => ({
    key: column.name,
    is_quiet: !column.is_taken,
    cells: [
      <Take {...{ column, draft, onChange }} />,
      <Tag {...{ column, draft, onChange }} />,
      column.kind ? say()[`kind_${column.kind}`] : "",
      column.unit ?? "",
      column.is_new ? say().is_new : column.measures.join(", ") || say().is_known,
    ],
  }));
  const more = all.length - rows.length + check.more_columns;
  return (
    <Panel title={say().columns}>
      <Listing label={say().columns} columns={columns} rows={rows} />
      {more > 0 && <p class="quiet">{say().more_columns(numberText(more))}</p>}
      {check.left_out.length > 0 && (
        <>
          <h3>{say().left_out}</h3>
          <ul class="import-left">
            {check.left_out.map(({ name, why }) => <li>{name}: {why}</li>)}
          </ul>
        </>
      )}
    </Panel>
  );
}

type OfColumn = Pick<Understood, "draft" | "onChange"> & { readonly column: ColumnRow };

function Take({ column, draft, onChange }: OfColumn) {
  return (
    <label class="import-take">
      <input
        type="checkbox"
        checked={column.is_taken}
        disabled={!onChange}
        aria-label={say().take_column(column.name)}
        onChange={({ currentTarget }) =>
          onChange?.(
            currentTarget.checked
              ? taking(draft, column)
              : withTag(draft, { name: column.name, tag: false }),
          )}
      />
      {column.name}
    </label>
  );
}

function Tag({ column, draft, onChange }: OfColumn) {
  if (!column.is_taken) return <>{say().left_out}</>;
  return (
    <input
      class="import-tag"
      value={column.tag}
      disabled={!onChange}
      aria-label={say().tag_of(column.name)}
      onChange={({ currentTarget }) => {
        const tag = currentTarget.value.trim();
        onChange?.(tag === "" ? taking(draft, column) : withTag(draft, { name: column.name, tag }));
      }}
    />
  );
}

function FirstRows({ rows }: { readonly rows: Check["first_rows"] }) {
  return (
    <Panel title={say().first_rows}>
      {rows.map(({ line, ts, cells, more }) => (
        <p class="import-row">
          <b>{say().line(String(line))}</b> <When at={ts} />{" "}
          {cells.map(({ tag, value }) => (
            <span>{tag} = {typeof value === "string" ? JSON.stringify(value) : String(value)}</span>
          ))}
          {more > 0 && <span class="quiet">{say().row_more(String(more))}</span>}
        </p>
      ))}
    </Panel>
  );
}
