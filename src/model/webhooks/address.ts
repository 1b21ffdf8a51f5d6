// Addresses: which the service may call for webhooks and for sources, and who calls it.
import ipaddr from "ipaddr.js";
import { Fault } from "../../base/fault.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks in which any address may be called. */
export type AllowedNetworks = readonly (readonly [Address, number])[];

/** Addresses and networks (CIDR) with commas between, or `none`. Throws a `Fault` (invalid). */
export function parseNetworks(text: string): AllowedNetworks {
  if (text.trim() === "none") return [];
  return text.split(",").map((word) => networkOf(word.trim()));
}

/**
 * Why an address must not be called; undefined when it may. An IPv6 address that stands for an IPv4
 * one is judged as both: what is listed may be called in either form.
 */
export function addressRefusal(text: string, allowed: AllowedNetworks): string | undefined {
  if (!isAddress(text)) return `${text} is no address`;
  const address = ipaddr.parse(text);
  if (isListed(address, allowed)) return undefined;
  const inner = innerOf(address);
  const judged = inner.length > 0 ? inner : [address];
  const bad = judged.find((one) => !isListed(one, allowed) && !isGlobal(one));
  if (bad === undefined) return undefined;
  return `${text} is not global: ${rangeOf(bad)}${bad === address ? "" : ` ${bad}`}`;
}

/**
 * Why a source must not reach an address: this machine itself (`own` are its addresses), one of the
 * link alone or of many, and where clouds keep their machines' secrets; undefined where it may. A
 * plant's devices are on private addresses: these it may.
 */
export function deviceRefusal(
  text: string,
  { allowed, own }: { readonly allowed: AllowedNetworks; readonly own: readonly string[] },
): string | undefined {
  if (!isAddress(text)) return `${text} is no address`;
  const address = ipaddr.parse(text);
  if (isListed(address, allowed)) return undefined;
  const judged = [address, ...innerOf(address)];
  if (judged.some((one) => isListed(one, allowed))) return undefined;
  if (judged.some((one) => isOwnAddress(`${one}`, own))) return `${text} is this machine itself`;
  const bad = judged.find((one) => no_device.has(one.range()) || isListed(one, metadata));
  if (bad === undefined) return undefined;
  return `${text} is no device's address: ${
    isListed(bad, metadata) ? "a cloud keeps secrets there" : rangeOf(bad)
  }`;
}

const no_device: ReadonlySet<string> = new Set([
  ...["unspecified", "loopback", "linkLocal", "multicast", "broadcast"],
]);

/** Of AWS by IPv6, and of Alibaba; those of others are link-local. */
const metadata = parseNetworks("fd00:ec2::254,100.100.100.200");

/**
 * The address that the host of a URL is, as the URL parser gives it (`127.0.0.1` for `0x7f.1` and
 * `2130706433`), without brackets; undefined for a name.
 */
export function literalOf(hostname: string): string | undefined {
  const text = hostname.replace(/^\[(.*)\]$/, "$1");
  return isAddress(text) ? text : undefined;
}

/** Whether an address is the very machine that asks, whose own addresses are given. */
export function isOwnAddress(text: string, own: readonly string[]): boolean {
  const address = ipaddr.process(text);
  const is_any = ["loopback", "unspecified"].includes(address.range());
  return is_any || own.some((one) => isAddress(one) && `${ipaddr.process(one)}` === `${address}`);
}

/** Whether an address is in one of some networks. */
export function isInNetworks(text: string, networks: AllowedNetworks): boolean {
  return isAddress(text) && isListed(ipaddr.process(text), networks);
}

/** Whether an address is the machine's own, which no other machine can call from. */
export function isLoopback(text: string): boolean {
  return isAddress(text) && ipaddr.process(text).range() === "loopback";
}

/** What one caller can't easily change of an address: of IPv6, the network of 64 bits. */
export function networkKey(text: string): string {
  if (!isAddress(text)) return text;
  const address = ipaddr.process(text);
  return isV4(address) ? `${address}` : address.toByteArray().slice(0, 8).join(".");
}

/** Only what the URL parser and resolvers write: no octal, hexadecimal or short IPv4, no zone. */
function isAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return true;
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return false;
  // The package reads ::8.8.8.8 as ::ffff:8.8.8.8, which is another address.
  const tail = /^(.*:)([^:]*\..*)$/.exec(text);
  return !tail || (tail[1] !== "::" && ipaddr.IPv4.isValidFourPartDecimal(tail[2]));
}

function networkOf(word: string): readonly [Address, number] {
  const [text, bits, ...more] = word.split("/");
  if (isAddress(text) && more.length === 0) {
    const address = ipaddr.parse(text);
    const longest = address.kind() === "ipv4" ? 32 : 128;
    if (bits === undefined) return [address, longest];
    if (/^\d{1,3}$/.test(bits) && Number(bits) <= longest) return [address, Number(bits)];
  }
  const message = `give addresses or networks such as 10.1.0.0/16, not ${JSON.stringify(word)}`;
  throw new Fault("invalid", message);
}

function isListed(address: Address, allowed: AllowedNetworks): boolean {
  return allowed.some(([network, bits]) =>
    address.kind() === network.kind() && address.match(network, bits)
  );
}

/** Of IPv6, IANA has given out nothing but 2000::/3 for global unicast. */
function isGlobal(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  return isV4(address) || address.match(global_v6, 3);
}

const global_v6 = ipaddr.IPv6.parse("2000::");

function rangeOf(address: Address): string {
  const range = address.range();
  return range === "unicast" ? "reserved" : range;
}

/** The IPv4 addresses that an IPv6 one stands for, or is a way to. */
function innerOf(address: Address): readonly Address[] {
  if (isV4(address)) return [];
  const bytes = address.toByteArray();
  const at = (start: number) => new ipaddr.IPv4(bytes.slice(start, start + 4));
  if (address.range() === "ipv4Mapped") return [at(12)];
  // RFC 6052: only the well-known prefix says where the address is.
  if (address.match(nat64, 96)) return [at(12)];
  if (address.range() === "6to4") return [at(2)];
  // RFC 4380: the server, and the client with its bits turned.
  if (address.range() !== "teredo") return [];
  return [at(4), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))];
}

const nat64 = ipaddr.IPv6.parse("64:ff9b::");

function isV4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === "ipv4";
}
