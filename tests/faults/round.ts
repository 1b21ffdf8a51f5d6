// One round: a fault happens in its world, and then nothing acknowledged is lost, twice or silent.
import type { Server } from "../help/process.ts";
import { countAll, type Look, undelivered, Unread } from "./count.ts";
import { until } from "./until.ts";
import { type Prepared, World } from "./world.ts";

/** What a kind of fault did, and what is allowed after it. */
export type Deed = {
  /** In a few words. */
  readonly did: string;
  /** A start may refuse the directory, and name why; what was damaged is not counted then. */
  readonly may_refuse?: boolean;
  /** The clock was set: what is asked again may have expired, so nothing is. */
  readonly is_clock_set?: boolean;
  /** How the program is started afterwards. */
  readonly args?: readonly string[];
  readonly look?: Look;
  /** What the kind found broken itself. */
  readonly wrong?: readonly string[];
  /** What else is looked at afterwards; gives what is broken. */
  readonly check?: (server: Server) => Promise<readonly string[]>;
};

/** Lets something happen to a world that nothing runs in yet. */
export type Kind = (world: World) => Promise<Deed>;

/** How a round ended. */
export type Outcome = {
  readonly did: string;
  readonly end: "served" | "refused" | "broken";
  readonly counts: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
};

/** How long what is due may take to arrive. */
const delivery_ms = 20_000;

/** Plays a round of a kind, whose chance follows from its seed. */
export async function playRound(
  prepared: Prepared,
  { kind, seed }: { readonly kind: Kind; readonly seed: number },
): Promise<Outcome> {
  const world = await World.open(prepared, seed);
  const { counts } = world.client;
  try {
    const deed = await kind(world);
    const { did } = deed;
    const { end, wrong } = await recover(world, deed);
    const broken = [...deed.wrong ?? [], ...world.client.wrong, ...wrong];
    return { did, end: broken.length > 0 ? "broken" : end, counts, wrong: broken };
  } catch (error) {
    return { did: "", end: "broken", counts, wrong: [`${error}`] };
  } finally {
    await world.close();
  }
}

type Recovery = Pick<Outcome, "end" | "wrong">;

/** Starts the program again without a fault, and counts. */
async function recover(world: World, deed: Deed): Promise<Recovery> {
  world.preload?.clear();
  await world.kill();
  let server: Server;
  try {
    server = await world.start(deed.args);
  } catch (error) {
    return { end: "refused", wrong: judgeRefusal(world, { deed, said: `${error}` }) };
  }
  try {
    const { client } = world;
    if (!deed.is_clock_set) await client.repeat(server);
    const wrong = [
      ...await countAll(server, client, deed.look),
      ...await until(() => undelivered(server, client), delivery_ms),
      ...await deed.check?.(server) ?? [],
    ];
    return { end: "served", wrong };
  } catch (error) {
    if (!(error instanceof Unread) || !deed.may_refuse) throw error;
    return { end: "refused", wrong: judgeRefusal(world, { deed, said: error.message }) };
  }
}

/** A refusal is right where one may be, names a file of the directory and blames nobody else. */
function judgeRefusal(
  { data_dir }: World,
  { deed, said }: { readonly deed: Deed; readonly said: string },
): readonly string[] {
  const is_named = said.includes(data_dir) && !said.includes("error in the program");
  return deed.may_refuse && is_named ? [] : [`refused: ${said}`];
}
