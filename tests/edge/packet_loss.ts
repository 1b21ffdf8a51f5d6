// A line that loses packets in the kernel: a port of this machine, in a network of its own.

const bytes_per_second = 125_000;
const lost_percent = 20;

/** What was lost of both ways: by chance, and because it was more than the line takes. */
export type Lost = { readonly came: number; readonly lost: number; readonly beyond: number };

/** Whether this machine has networks beside its own, and rules for their packets. */
export function canLosePackets(): boolean {
  try {
    const args = ["--net", "sh", "-c", "ip link set lo up mtu 1500 && nft add table inet line"];
    const { success } = new Deno.Command("unshare", { args, stderr: "null" }).outputSync();
    if (success) return true;
  } catch {
    // There is no such command.
  }
  return false;
}

/**
 * Runs this program once more in a network that it has for itself, and ends with its code; within
 * that network it does nothing but begin it.
 */
export async function enterOwnNetwork(): Promise<void> {
  const mark = "WATTKEEPER_OWN_NETWORK";
  if (Deno.env.has(mark)) {
    // Packets as they are on a line, not the large ones that stay within a machine.
    await tool("ip", ["link", "set", "lo", "up", "mtu", "1500", "gso_max_segs", "1"]);
    return;
  }
  const run = [Deno.execPath(), "run", "-A", "--no-check", Deno.mainModule, ...Deno.args];
  const { code } = await new Deno.Command("unshare", {
    args: ["--net", ...run],
    env: { [mark]: "1" },
  }).spawn().status;
  Deno.exit(code);
}

/** Makes the line to a port a bad one: 1 Mbit/s each way, of which a fifth is lost. */
export async function losePackets(port: number): Promise<void> {
  const ways = ["dport", "sport"].map((side) => `
    chain ${side} {
      type filter hook input priority 0
      tcp ${side} != ${port} accept
      counter name came
      limit rate over ${bytes_per_second} bytes/second burst 32000 bytes counter name beyond drop
      numgen random mod 100 < ${lost_percent} counter name lost drop
    }`);
  const counters = ["came", "lost", "beyond"].map((name) => `counter ${name} {}`);
  await tool("nft", ["-f", "-"], `table inet line {${counters.join("\n")}${ways.join("")}\n}`);
}

/** What came of it. */
export async function countLost(): Promise<Lost> {
  const { nftables } = JSON.parse(await tool("nft", ["-j", "list", "counters"])) as {
    readonly nftables: readonly { readonly counter?: { name: string; packets: number } }[];
  };
  const packetsOf = (name: string) =>
    nftables.find(({ counter }) => counter?.name === name)!.counter!.packets;
  return { came: packetsOf("came"), lost: packetsOf("lost"), beyond: packetsOf("beyond") };
}

async function tool(command: string, args: readonly string[], input = ""): Promise<string> {
  const child = new Deno.Command(command, {
    args: [...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${command} ${args.join(" ")}: ${text(stderr)}`);
  return text(stdout);
}
