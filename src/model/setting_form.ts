// The forms that texts of settings have: origins, places, periods, words.
import { meant } from "../base/did_you_mean.ts";
import { Fault } from "../base/fault.ts";

/** Throws a `Fault` (invalid) unless it is a name or an address alone, without a port. */
export function requireHost(text: string): void {
  if (/^(?![^:]*:\d*$)[\w.:%-]+$/.test(text)) return;
  const { hostname, port } = URL.parse(text.includes("//") ? text : `http://${text}`) ?? {};
  const own = port ? `, with port ${port}` : "";
  const hint = hostname ? `; meant ${hostname.replace(/^\[(.*)\]$/, "$1")}${own}?` : "";
  const form = "give a name or an address alone, such as 0.0.0.0; the port is a setting of its own";
  throw new Fault("invalid", `${form}, not ${JSON.stringify(text)}${hint}`);
}

/** Throws a `Fault` (invalid) unless it is `none`, or an address by http(s) without a path. */
export function requireOrigin(text: string): void {
  if (text === "none") return;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return;
  const meant = URL.parse(text.includes("://") ? text : `https://${text}`)?.origin ?? "null";
  const hint = /^https?:/.test(meant) && /[a-z]/.test(text) ? `; meant ${meant}?` : "";
  const form = "give an address without a path, such as https://plant.example";
  throw new Fault("invalid", `${form}, not ${JSON.stringify(text)}${hint}`);
}

/** The origins in a list with commas, such as `https://a.example`; none for `none`. */
export function originsOf(text: string): readonly string[] {
  if (text === "none") return [];
  return wordsIn(text).map((word) => {
    requireOrigin(word);
    return new URL(word).origin;
  });
}

/** Who may read the metrics, and where: see the setting `metrics`. Throws a `Fault` (invalid). */
export function metricsPlace(text: string): "open" | "token" | { host: string; port: number } {
  if (text === "open" || text === "token") return text;
  const [, name, port] = /^(\[[\da-f:]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? [];
  if (name !== undefined && Number(port) <= 65_535) {
    return { host: name.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  }
  throw new Fault("invalid", "give open, token, or an address and a port such as 127.0.0.1:9480");
}

/** The same unless it is an address by https, or http on this machine, or `none`. */
export function requireIssuer(text: string): void {
  if (text === "none" || /^https:\/\/|^http:\/\/(127\.0\.0\.1|localhost)\b/.test(text)) return;
  throw new Fault("invalid", "give an address that begins with https://");
}

/** Milliseconds of a number of hours or days, `6h` or `1d`; Infinity for `none`. */
export function periodOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([hd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (unit === "h" ? 3_600_000 : 86_400_000);
  if (text === "none") return Infinity;
  throw new Fault("invalid", "give hours or days, such as 6h or 1d, or none");
}

/** The words of a list with commas between them. */
export function wordsIn(text: string): readonly string[] {
  return text.split(",").map((word) => word.trim());
}

/** What a parser says of a text that it refuses; undefined of one that it takes. */
export function refusalBy(parse: (text: string) => unknown, text: string): string | undefined {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/** What is said of a word that is none of those known; undefined where there is none. */
export function strangeWord(
  words: readonly string[],
  known: readonly string[],
): string | undefined {
  const strange = words.find((word) => !known.includes(word));
  if (strange === undefined) return undefined;
  return `give any of ${known.join(", ")}${meant(strange, known)}`;
}
