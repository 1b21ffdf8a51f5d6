// Priorities, told by shape, digit and colour, so that a picture in greys still tells them.
import { say } from "../frame/say.ts";

/** What rules call a priority, and its digit by ISA-18.2: 1 is the most urgent. */
const digits = { critical: 1, high: 2, medium: 3, low: 4, info: 5 } as const;
export type Digit = typeof digits[keyof typeof digits];

/** The digit of a severity; one that is not known stands last. */
export function digitOf(severity: string): Digit {
  return Object.hasOwn(digits, severity) ? digits[severity as keyof typeof digits] : 5;
}

/** The severity of a digit; undefined for the last, which is that of unknown ones too. */
export function severityOf(digit: Digit): string | undefined {
  return Object.keys(digits).filter((it) => it !== "info")[digit - 1];
}

/** A priority's sign: octagon, square, triangle, circle, ring; `name` is what it is called. */
export function Priority({ of, name = say()[`priority_${of}`] }: {
  readonly of: Digit;
  readonly name?: string;
}) {
  return (
    <span class={`priority priority-${of}`} title={name}>
      <svg viewBox="0 0 24 24" aria-hidden="true">{shapes[of]}</svg>
      <b>{of}</b>
      <span class="hidden">{name}</span>
    </span>
  );
}

const shapes = {
  1: <path d="M7.5 1h9L23 7.5v9L16.5 23h-9L1 16.5v-9z" />,
  2: <rect x="2" y="2" width="20" height="20" rx="2" />,
  3: <path d="M12 1 24 22H0z" />,
  4: <circle cx="12" cy="12" r="11" />,
  5: <circle cx="12" cy="12" r="10" />,
} as const;
