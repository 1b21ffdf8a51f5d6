// The log: one structured line a message on standard error, never with a secret in it.
import { configureSync, getLogger, type Logger, type LogRecord } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import type { Settings } from "../../model/setting.ts";

/** Where messages go: `log.info("site {key} applied", { key, request_id })`. */
export type Log = Logger;

const urgent: ReadonlySet<LogRecord["level"]> = new Set(["warning", "error", "fatal"]);

/** The service's log, silent until `openLog` says where to. */
export const silent_log: Log = getLogger("wattkeeper");

/** What is printed of a message. */
type Message = Pick<LogRecord, "level" | "timestamp" | "message" | "properties">;

/** Prints a message, once `openLog` said where to. */
let put: (message: Message) => void = () => {};

/** Starts logging to standard error from `log_level` on, in the form `log_format`. */
export function openLog(
  settings: Pick<Settings, "log_level" | "log_format">,
  effects: Pick<Effects, "err" | "log">,
): Log {
  const form = settings.log_format === "json" ? jsonLine : prettyLine;
  put = (record) => {
    // What went wrong is told at once, whatever follows.
    const write = urgent.has(record.level) ? effects.err : effects.log;
    write(withoutSecrets(form(record)));
  };
  configureSync({
    reset: true,
    sinks: { err: put },
    loggers: [
      { category: "wattkeeper", sinks: ["err"], lowestLevel: settings.log_level },
      { category: ["logtape", "meta"], sinks: ["err"], lowestLevel: "warning" },
    ],
  });
  return getLogger("wattkeeper");
}

/**
 * Logs a message that has its values already, and goes the short way: what is told of each request
 * costs a fourth of what a message with places for values does.
 */
export function writeLog(
  { log, effects }: { readonly log: Log; readonly effects: Pick<Effects, "now_us"> },
  { level, text, properties }: Pick<LogRecord, "level" | "properties"> & { readonly text: string },
): void {
  if (!log.isEnabledFor(level)) return;
  put({ level, timestamp: effects.now_us() / 1000, message: [text], properties });
}

/** The last instant that was printed: of many requests, some are told in one millisecond. */
let printed = { ms: NaN, text: "" };

function instantOf(ms: number): string {
  if (ms !== printed.ms) printed = { ms, text: new Date(ms).toISOString() };
  return printed.text;
}

function jsonLine(record: Message): string {
  const { level, properties } = record;
  const head = { ts: instantOf(record.timestamp), level, message: messageOf(record) };
  // Most hold nothing that has to be made plain, and a look at each value takes long.
  const isPlain = Object.values(properties).every((value) =>
    typeof value === "string" || typeof value === "number" || value === null
  );
  // Printed one after the other: what puts them together first takes twice as long.
  const rest = JSON.stringify(properties, isPlain ? undefined : plain).slice(1);
  return `${JSON.stringify(head).slice(0, -1)}${rest === "}" ? "" : ","}${rest}\n`;
}

function prettyLine(record: Message): string {
  const time = new Date(record.timestamp).toISOString().slice(11, 19);
  const more = Object.values(record.properties).filter((value) => value instanceof Error)
    .map((error) => `\n  ${error.stack}`);
  return `${time} ${record.level.padEnd(7)} ${messageOf(record)}${more.join("")}\n`;
}

function messageOf(record: Message): string {
  return record.message.map((part) => part instanceof Error ? part.message : String(part)).join("");
}

/** Errors as text, Int64 as digits: what JSON has no form for. */
function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error) return value.stack ?? value.message;
  return typeof value === "bigint" ? String(value) : value;
}

/** Whatever a message holds, of a token it has the first characters, of a webhook's secret none. */
function withoutSecrets(text: string): string {
  if (!text.includes("wk_") && !text.includes("whsec_")) return text;
  return text.replaceAll(/\b(wk_[0-9A-Za-z]{4})[0-9A-Za-z]+/g, "$1…")
    .replaceAll(/\b(whsec_)[0-9A-Za-z+/=]+/g, "$1…");
}
