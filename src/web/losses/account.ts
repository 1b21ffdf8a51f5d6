// Loss accounts of groups or buckets: what they sum up to, and figures of them that add up.
import { all_losses, type Loss } from "../frame/performance.ts";
import { apportion, balance } from "../frame/rounded.ts";

/** What expected energy becomes: produced, or lost to something. */
export const account_parts = ["produced", ...all_losses] as const;
export type AccountPart = typeof account_parts[number];

/** An account in Wh: its parts add up to `expected`. All are NaN where there is no account. */
export type Account = Readonly<Record<AccountPart, number>> & {
  /** A bucket's first day, or an inverter's hierarchy id. */
  readonly key: string;
  readonly expected: number;
  /** Expected of time in which nothing tells what was produced; it is in no sum. */
  readonly unmeasured: number;
  /** Some inverter has no account for some day. */
  readonly is_partial: boolean;
};

/** The accounts of a range: by bucket, and by inverter. */
export type Accounts = {
  readonly buckets: readonly Account[];
  readonly inverters: readonly Account[];
};

/** An account in whole steps that add up, in its row and in every column. */
export type AccountFigures = Readonly<Record<AccountPart | "expected" | "lost", number>>;

/** The columns that an account is read from. */
export const account_columns = [
  ...["expected_energy", "produced_energy", "unavailability_loss", "curtailment_loss"],
  ...["clipping_loss", "grid_loss", "dc_loss", "derate_loss", "snow_loss", "soiling_loss"],
  ...["unknown_loss", "unmeasured_energy", "is_partial"],
] as const;

type Columns = {
  readonly length: number;
  readonly numbers: (name: string) => ArrayLike<number>;
  readonly texts: (name: string) => readonly (string | null)[];
};

/** The accounts of rows whose column `key` tells them apart. */
export function accountsOf(rows: Columns, key: string): Account[] {
  const keys = rows.texts(key);
  const column = Object.fromEntries(account_columns.map((name) => [name, rows.numbers(name)]));
  const lossOf = (loss: Loss) => column[loss === "other" ? "unknown_loss" : `${loss}_loss`];
  return keys.map((it, i) => ({
    key: it ?? "",
    expected: column.expected_energy[i],
    produced: column.produced_energy[i],
    ...Object.fromEntries(all_losses.map((loss) => [loss, lossOf(loss)[i]])) as Record<
      Loss,
      number
    >,
    unmeasured: column.unmeasured_energy[i],
    is_partial: column.is_partial[i] === 1,
  }));
}

/** Whether nothing is known of what could have been produced. */
export function isUnknown({ buckets }: Accounts): boolean {
  return !(sumOfAccounts(buckets).expected > 0);
}

/** The sum of accounts; those that there are not count as nothing. */
export function sumOfAccounts(accounts: readonly Account[], key = ""): Account {
  const sum = (of: (account: Account) => number) =>
    accounts.reduce((total, account) => total + (of(account) || 0), 0);
  return {
    key,
    expected: sum((it) => it.expected),
    ...Object.fromEntries(account_parts.map((part) => [part, sum((it) => it[part])])) as Record<
      AccountPart,
      number
    >,
    unmeasured: sum((it) => it.unmeasured),
    is_partial: accounts.some((it) => it.is_partial),
  };
}

/** What of an account was lost, to whatever. */
export function lostOf({ expected, produced }: Account): number {
  return expected - produced;
}

/** The share of what was expected that was lost; NaN where nothing was expected. */
export function lostShare(account: Account): number {
  return account.expected > 0 ? lostOf(account) / account.expected : NaN;
}

/** Rows and their sum in whole steps: each row adds up, and so does each column. */
export function figuresOf(
  accounts: readonly Account[],
  step: number,
): { readonly rows: readonly AccountFigures[]; readonly total: AccountFigures } {
  const sum = sumOfAccounts(accounts);
  const totals = apportion(
    account_parts.map((part) => sum[part]),
    step,
    Math.round(sum.expected / step),
  );
  const total = figures(totals);
  const lost = apportion(accounts.map(lostOf), step, total.lost);
  const produced = apportion(accounts.map((it) => it.produced), step, total.produced);
  const values = all_losses.map((loss) => accounts.map((it) => it[loss] || 0));
  const columns = values.map((column, i) => apportion(column, step, totals[1 + i]));
  const exact = values.map((column) => column.map((it) => it / step));
  balance(columns, { exact, sums: lost });
  return {
    rows: produced.map((it, i) => figures([it, ...columns.map((column) => column[i])])),
    total,
  };
}

/** The figures of the parts in their order. */
function figures(parts: readonly number[]): AccountFigures {
  const expected = parts.reduce((sum, it) => sum + it, 0);
  return {
    ...Object.fromEntries(account_parts.map((part, i) => [part, parts[i]])) as Record<
      AccountPart,
      number
    >,
    expected,
    lost: expected - parts[0],
  };
}

/** What adds to a sum, the greatest first, with what has been reached with it. */
export type Rank = {
  readonly key: string;
  readonly value: number;
  /** The share of the sum that it and all before it have. */
  readonly reached: number;
};

/** The order of a Pareto chart: what is not above zero is left out. */
export function paretoOf(values: ReadonlyMap<string, number>): Rank[] {
  const sorted = [...values].filter(([, value]) => value > 0).toSorted(([, a], [, b]) => b - a);
  const sum = sorted.reduce((total, [, value]) => total + value, 0);
  let reached = 0;
  return sorted.map(([key, value]) => ({ key, value, reached: (reached += value) / sum }));
}
