// What a node may do about shards: for how long it is certain of one, which it takes and gives.
import { compareText } from "../../base/bytes.ts";
import { fleet_limits } from "./limits.ts";
import { canOpen, type FleetNode, type Shard } from "./shard.ts";

/** What a node sees, and what it has. */
export type Outlook = {
  readonly me: string;
  readonly nodes: readonly FleetNode[];
  readonly shards: readonly (Shard & { readonly is_free: boolean })[];
  /** The numbers of those that it holds and keeps. */
  readonly mine: ReadonlySet<number>;
  /** Whether other nodes can open a shard's directory, once its volume is fenced. */
  readonly is_shared: boolean;
};

/** Numbers of shards. */
export type Decision = { readonly take: readonly number[]; readonly give: readonly number[] };

/** What is to be done now. Used shards are shared evenly, and so are those without anything. */
export function decide(outlook: Outlook): Decision {
  const able = outlook.nodes.filter((it) => it.is_live && !it.is_draining)
    .toSorted((a, b) => compareText(a.name, b.name));
  const parts = [true, false].map((is_used) =>
    decidePart(outlook, { able, shards: outlook.shards.filter((it) => it.is_used === is_used) })
  );
  return {
    take: parts.flatMap(({ take }) => take),
    give: parts.flatMap(({ give }) => give),
  };
}

function decidePart(
  outlook: Outlook,
  { able, shards }: { readonly able: readonly FleetNode[] } & Pick<Outlook, "shards">,
): Decision {
  const { me, mine, is_shared } = outlook;
  const openers = (shard: Shard) => openersOf(shard, able);
  const kept = shards.filter(({ no }) => mine.has(no));
  // Where nobody ever opened it, nobody has its data: a new fleet's home is used from the start.
  const isBound = ({ is_used, home }: Shard) => is_used && home !== null && !is_shared;
  const self = able.find(({ name }) => name === me);
  if (self === undefined) {
    const give = kept.filter((it) => !isBound(it) && openers(it).length > 0);
    return { take: [], give: numbers(give) };
  }
  const isElsewhere = (shard: Shard) =>
    shard.wanted !== me && openers(shard).some(({ name }) => name === shard.wanted);
  const isForOthers = (shard: Shard) => isElsewhere(shard) || !openers(shard).includes(self);
  const leaving = kept.filter((it) => isForOthers(it) && !isBound(it));
  const free = shards.filter((it) =>
    it.is_free && !mine.has(it.no) && (isBound(it) ? canOpen(self, it) : openers(it).includes(self))
  );
  // What others tried in vain is not left alone for want of room.
  const isHanded = (it: Shard) => it.tried.length > 0 && !isElsewhere(it);
  const own = free.filter((it) => isBound(it) ? it.home === me : it.wanted === me || isHanded(it));
  const open = free.filter((it) => !isBound(it) && !own.includes(it) && !isElsewhere(it));
  const peers = peersOf(outlook, able);
  const share = peers.includes(self) ? Math.ceil(shards.length / peers.length) : 0;
  const placeOf = (it: Shard) => {
    const is_kept = mine.has(it.no) && !leaving.some(({ no }) => no === it.no);
    return brokenAt(it, able) ?? (is_kept ? me : it.node === me ? null : it.node);
  };
  const counted = shards.filter((it) => placeOf(it) === me).length +
    own.filter((it) => brokenAt(it, able) === undefined).length;
  const room = Math.max(0, share - counted);
  const within = [...own, ...open.slice(0, room)];
  // What older nodes can't open is shared by those that can, whatever else they hold.
  const newer = shards.filter((it) => !able.every((node) => canOpen(node, it)));
  const others = able.filter((it) => it.data_version >= self.data_version).length;
  const held = newer.filter((it) => kept.includes(it) || within.includes(it)).length;
  const beyond = open.slice(room).filter((it) => newer.includes(it))
    .slice(0, Math.max(0, Math.ceil(newer.length / others) - held));
  const take = [...within, ...beyond];
  if (leaving.length > 0 || take.length > 0) return { take: numbers(take), give: numbers(leaving) };
  return {
    take: [],
    give: numbers(surplus({ me, shards, kept, able, peers, placeOf }).filter((it) => !isBound(it))),
  };
}

/**
 * The nodes that may let a shard run: of those that can open it, who did not try in vain, as long
 * as there is one. So what is broken everywhere visits each node once, and comes to rest.
 */
function openersOf(shard: Shard, able: readonly FleetNode[]): readonly FleetNode[] {
  const all = able.filter((it) => canOpen(it, shard));
  const fresh = all.filter(({ name }) => !shard.tried.includes(name));
  return fresh.length > 0 ? fresh : all;
}

/**
 * The node that could not let a shard run first, of those that are there. The shard counts as that
 * one's wherever it is: on its way it pushes no other away.
 */
function brokenAt({ tried }: Shard, able: readonly FleetNode[]): string | undefined {
  return able.find(({ name }) => name === tried[0])?.name;
}

/**
 * The nodes that are given shards so that each has as many: those at which all run that they were
 * given, as long as there is one. So what is wrong with a machine is tried with a shard now and
 * then, not with all.
 */
function peersOf({ shards }: Outlook, able: readonly FleetNode[]): readonly FleetNode[] {
  const isSound = ({ name }: FleetNode) =>
    shards.every(({ node, why, tried }) =>
      !tried.includes(name) && (node !== name || why === null)
    );
  const sound = able.filter(isSound);
  return sound.length > 0 ? sound : able;
}

/**
 * One shard that the node with the most gives, where another has two fewer and can open it. After
 * the catalogue was away, a node is alive again before its leases are: they count as its own.
 */
function surplus(
  { me, shards, kept, able, peers, placeOf }: {
    readonly me: string;
    readonly shards: readonly Shard[];
    readonly kept: readonly Shard[];
    readonly able: readonly FleetNode[];
    readonly peers: readonly FleetNode[];
    /** At which node a shard counts; null on its way from the own one. */
    readonly placeOf: (shard: Shard) => string | null;
  },
): readonly Shard[] {
  const countOf = ({ name }: FleetNode) => shards.filter((it) => placeOf(it) === name).length;
  const counts = able.map(countOf);
  const most = Math.max(...counts);
  const is_richest = able[counts.indexOf(most)].name === me;
  const [poorest] = peers.toSorted((a, b) => countOf(a) - countOf(b));
  if (!is_richest || most - countOf(poorest) < 2) return [];
  // What is on its way counts before more is given: it would be too much.
  const isFor = (it: Shard) => openersOf(it, able).includes(poorest);
  const isOnItsWay = (it: Shard) =>
    isFor(it) && (it.node === null || it.node === me && !kept.includes(it));
  if (shards.some(isOnItsWay)) return [];
  const isMoved = (it: Shard) => it.wanted !== me && it.tried.length === 0 && isFor(it);
  return kept.filter(isMoved).slice(0, 1);
}

function numbers(shards: readonly Shard[]): readonly number[] {
  return shards.map(({ no }) => no);
}

/**
 * Until when its holder is certain of a lease, on its own clock that never jumps. It counts from
 * before it asked: however late the answer comes, the lease began no sooner than that.
 */
export function certainUntil(asked_ms: number): number {
  return asked_ms + fleet_limits.lease_ms - fleet_limits.margin_ms;
}

/** What was seen of a lease, and since when it has not changed, on the clock of who sees it. */
export type Sight = { readonly mark: string; readonly since_ms: number };

/**
 * What a node has seen of leases until now. `mark` is whatever changes when a lease is renewed. An
 * unchanged one counts from when its answer came: it may have been renewed until then.
 */
export function seen(
  before: ReadonlyMap<number, Sight>,
  { marks, came_ms }: { readonly marks: ReadonlyMap<number, string>; readonly came_ms: number },
): ReadonlyMap<number, Sight> {
  return new Map(Array.from(marks, ([no, mark]) => {
    const known = before.get(no);
    return [no, known?.mark === mark ? known : { mark, since_ms: came_ms }];
  }));
}

/**
 * Whether a shard may be taken: nobody has it, or its lease has ended by two clocks, that of the
 * catalogue, and that of who takes it, which saw no sign of its holder for as long as it holds.
 */
export function isFree(
  { node, is_held }: Pick<Shard, "node" | "is_held">,
  { sight, now_ms }: { readonly sight: Sight | undefined; readonly now_ms: number },
): boolean {
  if (node === null) return true;
  return !is_held && sight !== undefined && now_ms - sight.since_ms >= fleet_limits.lease_ms;
}
