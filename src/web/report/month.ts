// The month of a report: whole days of it that are over.
import { dayAfter } from "../frame/zone.ts";
import { monthEnd, type Range } from "../losses/range.ts";

/** The month, YYYY-MM, and its days; `is_whole` where all of them are over. */
export type Month = { readonly name: string; readonly range: Range; readonly is_whole: boolean };

/** Until this day of a month, people ask for the one before it. */
const late_day = 10;

/** The last day that is over, and the months that have data, in their order. */
type Known = { readonly last: string; readonly months: readonly string[] };

/** Whether an address names a month. */
export function isMonth(named: string | undefined): named is string {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(named ?? "");
}

/** The month that the address names, or else the newest that is worth a report. */
export function monthOf(named: string | undefined, known: Known): Month {
  const { last } = known;
  const newest = last.slice(0, 7);
  const asked = isMonth(named) ? named : newestOf(known);
  const name = asked > newest ? newest : asked;
  const [from, end] = [`${name}-01`, monthEnd(`${name}-01`)];
  const to = end < last ? end : last;
  return {
    name,
    range: { from, to, interval: "OneDay", preset: undefined },
    is_whole: to === end,
  };
}

/** The month `count` months after another. */
export function monthAfter(name: string, count: 1 | -1): string {
  const first = `${name}-01`;
  return (count === 1 ? dayAfter(monthEnd(first)) : dayAfter(first, -1)).slice(0, 7);
}

/** Of a plant without data then it is the newest month with data: of a new one, the first days. */
function newestOf({ last, months }: Known): string {
  const is_early = last !== monthEnd(last) && Number(last.slice(8)) <= late_day;
  const usual = is_early ? monthAfter(last.slice(0, 7), -1) : last.slice(0, 7);
  return months.includes(usual) ? usual : months.at(-1) ?? usual;
}
