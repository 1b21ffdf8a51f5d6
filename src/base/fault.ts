// The one error type for a caller's mistake or an expected refusal, named by a code.
import { limits } from "./limits.ts";

/** What kind of refusal it is; `http/frame/problem.ts` maps each code to one status. */
export type FaultCode =
  | "invalid" // 400
  | "unauthorized" // 401
  | "forbidden" // 403
  | "not_found" // 404
  | "not_acceptable" // 406
  | "timeout" // 408
  | "conflict" // 409
  | "gone" // 410
  | "precondition_failed" // 412
  | "too_large" // 413
  | "unsupported_media" // 415
  | "too_many" // 429
  | "not_available" // 501
  | "unavailable"; // 503

/**
 * One thing wrong with an input: where (a parameter, `line 7`, `devices[3].name`) and the wanted
 * form.
 */
export type Flaw = { readonly path: string; readonly message: string };

/** What a refusal says, as a name with values: for who says it in other words. */
export type Told = { readonly name: string; readonly values: Readonly<Record<string, string>> };

/**
 * A refusal with its code, one sentence for a person, and for invalid input each flaw's place. An
 * `Error` to whoever catches it, but made like other objects: the runtime notes at each of its own
 * where it came from, which takes longer than all else of a refusal. Nobody has to mend a place in
 * the program, and whoever asks wrongly asks often.
 */
export class Fault implements Error {
  readonly name = "Fault";
  readonly message: string;
  readonly code: FaultCode;
  readonly flaws: readonly Flaw[];
  readonly retry_after_s?: number;
  /** Of what is gone: from when on it is there, in microseconds since 1970 UTC. */
  readonly available_from_us?: number;
  readonly told?: Told;

  constructor(
    code: FaultCode,
    message: string,
    more: Partial<Pick<Fault, "flaws" | "retry_after_s" | "available_from_us" | "told">> = {},
  ) {
    this.message = message;
    this.code = code;
    this.flaws = more.flaws ?? [];
    this.retry_after_s = more.retry_after_s;
    this.available_from_us = more.available_from_us;
    this.told = more.told;
  }

  /** Without a place. */
  get stack(): string {
    return `${this.name}: ${this.message}`;
  }
}
Object.setPrototypeOf(Fault.prototype, Error.prototype);

/** What the operating system refused, in words; undefined for any other error. */
export function refusalOfSystem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return /^E[A-Z0-9]+$/.test(String(error.code)) ? error.message : undefined;
}

/** The refusal of an input for its flaws, of which the first `limits.flaws_shown` are named. */
export function refusal(
  message: string,
  flaws: readonly Flaw[],
  { code = "invalid" }: { readonly code?: FaultCode } = {},
): Fault {
  return new Fault(code, message, { flaws: flaws.slice(0, limits.flaws_shown) });
}
