// The run: every peer takes the same bodies and answers the same questions, in turns.
import { body_values } from "../bodies.ts";
import type { Peer, Store } from "./peer.ts";
import {
  type BodyFormat,
  bodyOf,
  type Question,
  question_names,
  questions,
  sizeOfWork,
  type Work,
} from "./work.ts";

/** What the run needs of the machine. */
export type Machine = {
  readonly now_ms: () => number;
  readonly cpuSeconds: (pid: number) => Promise<number>;
  readonly dropCache: (folder: string) => Promise<void>;
  /** Says how far the run is. */
  readonly report: (line: string) => void;
};

/** One ingest of a peer. Seconds are from the first body on. */
export type Load = {
  readonly peer: string;
  readonly format: BodyFormat;
  readonly clients: number;
  readonly values: number;
  readonly acknowledged_s: number;
  /** Until all could be read, rolled up where the product does that. */
  readonly visible_s: number;
  readonly acknowledged_cpu_s: number;
  readonly visible_cpu_s: number;
  readonly bytes: number;
};

/** What a peer took for a question, warm by turn, and cold after a start. */
export type Read = {
  readonly peer: string;
  readonly question: Question;
  readonly warm_ms: readonly number[];
  readonly cold_ms: number;
  /** The processor's time of the peer's processes, the mean of the warm turns. */
  readonly cpu_ms: number;
  /** Numbers of values that were no right answer. */
  readonly wrong: readonly number[];
};

export type Result = { readonly loads: readonly Load[]; readonly reads: readonly Read[] };

export type Run = {
  readonly peers: readonly Peer[];
  readonly work: Work;
  /** An empty folder; what is made in it is left to whoever made it. */
  readonly folder: string;
  readonly clients: readonly number[];
  readonly turns: number;
  readonly machine: Machine;
};

/** Loads and asks every peer. */
export async function runPeers(run: Run): Promise<Result> {
  await writeBodies(run);
  const loads = await loadAll(run);
  const warm = await askWarm(run);
  const cold = await askCold(run);
  const reads = run.peers.flatMap((peer) =>
    asked(peer).map((question): Read => {
      const [warms, [first]] = [warm, cold].map((answers) =>
        answers.filter((it) => it.peer === peer.name && it.question === question)
      );
      const wrong = [...warms, first].map(({ values }) => values)
        .filter((values) => values !== questions[question].values(run.work));
      const warm_ms = warms.map(({ took_ms }) => took_ms);
      const cpu_ms = warms.reduce((sum, it) => sum + it.cpu_ms, 0) / warms.length;
      return { peer: peer.name, question, warm_ms, cpu_ms, cold_ms: first.took_ms, wrong };
    })
  );
  return { loads, reads };
}

/** The questions that a peer has an answer to. */
function asked({ lacks }: Peer): readonly Question[] {
  return question_names.filter((question) => !(question in lacks));
}

/** Bodies lie in files, so that making them takes no time from any peer. */
async function writeBodies({ peers, work, folder, machine }: Run): Promise<void> {
  const { bodies } = sizeOfWork(work);
  for (const format of new Set(peers.flatMap(({ formats }) => formats))) {
    machine.report(`writing ${bodies} bodies: ${format}`);
    await Deno.mkdir(`${folder}/bodies/${format}`, { recursive: true });
    for (let body = 0; body < bodies; body++) {
      await Deno.writeFile(bodyPath(folder, format, body), bodyOf(work, { format, body }));
    }
  }
}

function bodyPath(folder: string, format: BodyFormat, body: number): string {
  return `${folder}/bodies/${format}/${body}`;
}

/** Each ingest on a folder of its own; the last one of a peer stays for the questions. */
async function loadAll(run: Run): Promise<readonly Load[]> {
  const rounds = Math.max(...run.peers.map(({ formats }) => formats.length));
  const loads: Load[] = [];
  for (const clients of run.clients) {
    for (let round = 0; round < rounds; round++) {
      for (const peer of run.peers) {
        const format = peer.formats[round];
        if (format !== undefined) loads.push(await loadOne(run, { peer, format, clients }));
      }
    }
  }
  return loads;
}

async function loadOne(
  { work, folder, machine }: Run,
  { peer, format, clients }: {
    readonly peer: Peer;
    readonly format: BodyFormat;
    readonly clients: number;
  },
): Promise<Load> {
  const { bodies, values } = sizeOfWork(work);
  const own = folderOf(folder, peer);
  await Deno.remove(own, { recursive: true }).catch(() => {});
  await Deno.mkdir(own);
  const store = await peer.open(own, work);
  const begin = { ms: machine.now_ms(), cpu_s: await machine.cpuSeconds(store.pid) };
  const since = async () => {
    const s = (machine.now_ms() - begin.ms) / 1000;
    return { s, cpu_s: await machine.cpuSeconds(store.pid) - begin.cpu_s };
  };
  await Promise.all(Array.from({ length: clients }, async (_, client) => {
    for (let body = client; body < bodies; body += clients) {
      await store.load({ format, path: bodyPath(folder, format, body), client });
    }
  }));
  const acknowledged = await since();
  await store.settle();
  const visible = await since();
  await store.rest();
  const bytes = await store.bytes();
  await store.close();
  const rate = (values / acknowledged.s / 1000).toFixed(0);
  machine.report(
    `${peer.name}, ${format}, ${clients} clients: ${bodies * body_values / 1e6} M values, ` +
      `${rate} k/s, visible after ${visible.s.toFixed(1)} s`,
  );
  return {
    ...{ peer: peer.name, format, clients, values, bytes },
    ...{ acknowledged_s: acknowledged.s, acknowledged_cpu_s: acknowledged.cpu_s },
    ...{ visible_s: visible.s, visible_cpu_s: visible.cpu_s },
  };
}

function folderOf(folder: string, { name }: Peer): string {
  return `${folder}/${name.replaceAll(/\W+/g, "_")}`;
}

type Answered = {
  readonly peer: string;
  readonly question: Question;
  readonly took_ms: number;
  readonly cpu_ms: number;
  readonly values: number;
};

/** Asks everybody everything in turns; the first turn warms and is not kept. */
async function askWarm(run: Run): Promise<readonly Answered[]> {
  const { peers, work, folder, turns, machine } = run;
  const stores = new Map<Peer, Store>();
  for (const peer of peers) stores.set(peer, await peer.open(folderOf(folder, peer), work));
  const answers: Answered[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    machine.report(turn === 0 ? "questions: warming" : `questions: turn ${turn} of ${turns}`);
    for (const question of question_names) {
      for (const [peer, store] of stores) {
        if (question in peer.lacks) continue;
        const answer = await askOne(machine, { peer, store, question });
        if (turn > 0) answers.push(answer);
      }
    }
  }
  for (const store of stores.values()) await store.close();
  return answers;
}

/** Asks each question after a start with the peer's files out of the page cache. */
async function askCold(run: Run): Promise<readonly Answered[]> {
  const { peers, work, folder, machine } = run;
  const answers: Answered[] = [];
  for (const question of question_names) {
    machine.report(`questions after a start: ${questions[question].what}`);
    for (const peer of peers) {
      if (question in peer.lacks) continue;
      const own = folderOf(folder, peer);
      await machine.dropCache(own);
      const store = await peer.open(own, work);
      answers.push(await askOne(machine, { peer, store, question }));
      await store.close();
    }
  }
  return answers;
}

async function askOne(
  { now_ms, cpuSeconds }: Machine,
  { peer, store, question }: {
    readonly peer: Peer;
    readonly store: Store;
    readonly question: Question;
  },
): Promise<Answered> {
  const from = { cpu_s: await cpuSeconds(store.pid), ms: now_ms() };
  const count = await store.ask(question);
  const took_ms = now_ms() - from.ms;
  const cpu_ms = (await cpuSeconds(store.pid) - from.cpu_s) * 1000;
  return { peer: peer.name, question, took_ms, cpu_ms, values: count() };
}
