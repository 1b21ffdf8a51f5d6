// The losses of each block and inverter, the worst first, with bars of what they went to.
import type { Load } from "../frame/load.ts";
import { all_losses } from "../frame/performance.ts";
import { natural, percentText } from "../frame/number.ts";
import { param } from "../frame/place.ts";
import { blocks, deviceOf } from "../frame/plant.ts";
import { type Rounding, stepOf, stepsText } from "../frame/rounded.ts";
import { say as frameSay } from "../frame/say.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import {
  type Account,
  type AccountFigures,
  type Accounts,
  figuresOf,
  lostShare,
  sumOfAccounts,
} from "./account.ts";
import { keptParams, roundingOfAccounts } from "./account_panel.tsx";
import {
  type Availabilities,
  type Availability,
  availableShare,
  knownShare,
  sumOfAvailabilities,
} from "./availability.ts";
import { losses_path, lossQuery } from "./data.ts";
import type { Range } from "./range.ts";
import { say } from "./say.ts";
import { type Order, orders, shownOrder } from "./view.ts";

/** An inverter or a block. */
type Row = {
  readonly key: string;
  /** The key of its device, for links; a block has none. */
  readonly device: string | undefined;
  readonly name: string;
  readonly account: Account;
  readonly availability: Availability | undefined;
};

/** The table of inverters, under that of their blocks. */
export function LossesByDevice({ of, availability, range }: {
  readonly of: Load<Accounts>;
  readonly availability: Load<Availabilities>;
  readonly range: Range;
}) {
  const rounding = roundingOfAccounts(of.data?.inverters);
  return (
    <Panel
      title={say().by_device}
      class="by-device"
      aside={
        <Export
          path={losses_path}
          query={lossQuery(range, "inverter")}
          name={`losses by inverter ${range.from} ${range.to}`}
        />
      }
    >
      <Loaded of={of} isEmpty={({ inverters }) => inverters.length === 0} empty={say().no_account}>
        {({ inverters }) => {
          const rows = inverterRows(inverters, availability.data?.inverters ?? []);
          const of_blocks = blockRows(rows);
          return (
            <>
              {of_blocks.length > 1 && (
                <LossTable rows={of_blocks} rounding={rounding} first={say().block} />
              )}
              <LossTable rows={rows} rounding={rounding} first={say().inverter} is_linked />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** Accounts and availability of inverters by name. */
export function inverterRows(
  accounts: readonly Account[],
  availabilities: readonly Availability[],
): Row[] {
  const found = new Map(availabilities.map((it) => [it.key, it]));
  return accounts.map((account) => ({
    key: account.key,
    device: deviceOf(account.key)?.key,
    name: deviceOf(account.key)?.name ?? account.key,
    account,
    availability: found.get(account.key),
  }));
}

function blockRows(rows: readonly Row[]): Row[] {
  const groups = Map.groupBy(rows, ({ key }) => deviceOf(key)?.block_id ?? "");
  return [...groups].map(([block_id, of]) => ({
    key: block_id,
    device: undefined,
    name: blocks.value.get(block_id)?.name ?? say().no_block,
    account: sumOfAccounts(of.map(({ account }) => account), block_id),
    availability: sumOfAvailabilities(of.flatMap((it) => it.availability ?? [])),
  }));
}

const ranks: Readonly<Record<Exclude<Order, "name">, (row: Row) => number>> = {
  share: ({ account }) => -lostShare(account),
  energy: ({ account }) => account.produced - account.expected,
  availability: ({ availability }) => availability ? availableShare(availability) : NaN,
};

/** Rows in an order; what is not known comes last. */
export function sorted(rows: readonly Row[], order: Order): Row[] {
  if (order === "name") {
    return rows.toSorted((a, b) => natural.compare(a.name, b.name));
  }
  const rank = (row: Row) => ranks[order](row);
  const last = (value: number) => Number.isNaN(value) ? Infinity : value;
  return rows.toSorted((a, b) => last(rank(a)) - last(rank(b)) || natural.compare(a.name, b.name));
}

type TableProps = {
  readonly rows: readonly Row[];
  readonly rounding: Rounding;
  /** What the rows are. */
  readonly first: string;
  readonly is_linked?: boolean;
};

function LossTable({ rows, rounding, first, is_linked = false }: TableProps) {
  const in_order = sorted(rows, shownOrder());
  const figures = figuresOf(in_order.map(({ account }) => account), stepOf(rounding));
  const most = Math.max(...rows.map(({ account }) => account.expected - account.produced || 0), 1);
  const { unit } = rounding;
  const is_known = rows.some(({ account }) => !Number.isNaN(account.expected));
  const text = (steps: number) => is_known ? stepsText(steps, rounding) : percentText(NaN);
  const heads: readonly (readonly [string, Order | undefined])[] = [
    [first, "name"],
    [say().lost_share, "share"],
    [`${say().lost}, ${unit}`, "energy"],
    [say().lost_to, undefined],
    [`${say().expected}, ${unit}`, undefined],
    [`${say().produced}, ${unit}`, undefined],
    [say().availability, "availability"],
    [say().known_head, undefined],
  ];
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label={first}>
      <table>
        <thead>
          <tr>{heads.map(([name, order]) => <Head key={name} {...{ name, order }} />)}</tr>
        </thead>
        <tbody>
          {in_order.map((row, i) => (
            <LossRow key={row.key} {...{ row, rounding, most, is_linked }} of={figures.rows[i]} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{say().total}</th>
            <td class="number">
              {percentText(lostShare(sumOfAccounts(rows.map(({ account }) => account))))}
            </td>
            <td class="number">{text(figures.total.lost)}</td>
            <td />
            <td class="number">{text(figures.total.expected)}</td>
            <td class="number">{text(figures.total.produced)}</td>
            <td colSpan={2} />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function Head({ name, order }: { readonly name: string; readonly order: Order | undefined }) {
  const is_sorted = order !== undefined && order === shownOrder();
  if (order === undefined) return <th scope="col">{name}</th>;
  const sort = order === orders[0] ? undefined : order;
  return (
    <th scope="col" aria-sort={is_sorted ? order === "name" ? "ascending" : "descending" : "none"}>
      <Link
        page="losses"
        params={{ ...keptParams(), device: param("device"), part: param("part"), sort }}
      >
        {name} {is_sorted ? "▾" : ""}
      </Link>
    </th>
  );
}

type RowProps = {
  readonly row: Row;
  readonly of: AccountFigures;
  readonly rounding: Rounding;
  readonly most: number;
  readonly is_linked: boolean;
};

function LossRow({ row, of, rounding, most, is_linked }: RowProps) {
  const { account, availability, name, device } = row;
  const is_known = !Number.isNaN(account.expected);
  const text = (steps: number) => is_known ? stepsText(steps, rounding) : percentText(NaN);
  return (
    <tr class={device !== undefined && param("device") === device ? "selected" : ""}>
      <th scope="row">
        {is_linked && device !== undefined
          ? <Link page="losses" params={{ ...keptParams(), device }}>{name}</Link>
          : name}
      </th>
      <td class="number">{percentText(lostShare(account))}</td>
      <td class="number">{text(of.lost)}</td>
      <td class="parts">
        <LossBar of={account} most={most} />
      </td>
      <td class="number">{text(of.expected)}</td>
      <td class="number">{text(of.produced)}</td>
      <td class="number">{percentText(availability ? availableShare(availability) : NaN, 2)}</td>
      <td class="number">{percentText(availability ? knownShare(availability) : NaN, 0)}</td>
    </tr>
  );
}

/** What was lost, by what it went to, beside the most that any row has lost. */
export function LossBar({ of, most }: { readonly of: Account; readonly most: number }) {
  const shown = all_losses.filter((loss) => of[loss] > 0);
  const title = shown.map((loss) => {
    const share = percentText(of[loss] / of.expected);
    return `${frameSay()[`loss_${loss}`]} ${share}`;
  }).join(", ");
  return (
    <span class="loss-bar" role="img" aria-label={title} title={title}>
      {shown.map((loss) => (
        <i class={`share ${loss}`} style={{ width: `${100 * of[loss] / most}%` }} />
      ))}
    </span>
  );
}
