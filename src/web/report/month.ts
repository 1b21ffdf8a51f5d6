// The month of a report: whole days of it that are over.
import { dayAfter } from "../frame/zone.ts";
import { monthEnd, type Range } from "../losses/range.ts";

/** The month, YYYY-MM, and its days; `is_whole` where all of them are over. */
export type Month = { readonly name: string; readonly range: Range; readonly is_whole: boolean };

/** Until this day of a month, people ask for the one before it. */
const late_day = 10;

/** The month that the address names, else the newest worth a report; `last`: the last day over. */
export function monthOf(named: string | undefined, last: string): Month {
  const newest = last.slice(0, 7);
  const is_month = /^\d{4}-(0[1-9]|1[0-2])$/.test(named ?? "");
  const asked = is_month ? named! : newestOf(last);
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

function newestOf(last: string): string {
  const is_early = last !== monthEnd(last) && Number(last.slice(8)) <= late_day;
  return is_early ? monthAfter(last.slice(0, 7), -1) : last.slice(0, 7);
}
