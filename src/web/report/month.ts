// The month of a report: whole days of it that are over.
import { dayAfter } from "../frame/zone.ts";
import { monthEnd, monthStart, type Range } from "../losses/range.ts";

/** The month, YYYY-MM, and its days; `is_whole` where all of them are over. */
export type Month = { readonly name: string; readonly range: Range; readonly is_whole: boolean };

/** The month that the address names; else the last whole one, `last` being the last day over. */
export function monthOf(named: string | undefined, last: string): Month {
  const newest = last.slice(0, 7);
  const is_month = /^\d{4}-(0[1-9]|1[0-2])$/.test(named ?? "");
  const asked = is_month ? named! : lastWhole(last);
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

function lastWhole(last: string): string {
  return last === monthEnd(last) ? last.slice(0, 7) : dayAfter(monthStart(last), -1).slice(0, 7);
}
