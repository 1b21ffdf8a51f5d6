// The process dies: at any moment of work, at a call to a file, at its start, twice at once.
import { somewhere } from "../places.ts";
import type { Kind } from "../round.ts";

/** kill -9 among requests. */
export const kill: Kind = async (world) => {
  const server = await world.start();
  const after = 1 + world.pick(40);
  await world.client.load(server, {
    requests: 60,
    onAnswer: (acknowledged) => void (acknowledged >= after && world.kill()),
  });
  return { did: `killed after ${after} acknowledgements` };
};

/** kill -9 before, or in the middle of, a call to a file: while working or while stopping. */
export const kill_at_call: Kind = async (world) => {
  const server = await world.start();
  const { files, from } = somewhere(world);
  const act = world.choose(["kill", "torn"] as const);
  world.orders.give({ calls: ["write", "sync", "name"], act, from, files });
  await world.client.load(server, { requests: 25 });
  // What was not met in work is met when the log is written into the file.
  await server.end("SIGTERM");
  return { did: `${act} at call ${from} to ${files}, met: ${world.orders.met().done}` };
};

/** kill -9 at a call of the start, which replays a log. */
export const kill_at_start: Kind = async (world) => {
  const from = 1 + world.pick(30);
  const files = world.choose(["*/data/*", "*.duckdb*", "*.stamp*"]);
  world.orders.give({ calls: ["write", "sync", "name", "read"], act: "kill", from, files });
  const is_up = await world.start().then(() => true, () => false);
  return { did: `killed at call ${from} to ${files}${is_up ? ", not met" : ""}` };
};

/** A second process on the directory is refused; it takes over when the first is killed. */
export const two_processes: Kind = async (world) => {
  const server = await world.start();
  const wrong: string[] = [];
  const second = world.run(["serve", "--port", "0"]);
  const load = world.client.load(server, { requests: 20 });
  const { code, err } = await second;
  if (code !== 1 || !err.includes(`process ${server.pid}`)) wrong.push(`a second said ${err}`);
  if (world.pick(2) === 0) await world.kill();
  await load;
  return { did: "a second process was started", wrong };
};

/** A process that is stopped and goes on. */
export const pause: Kind = async (world) => {
  const server = await world.start();
  const after = 1 + world.pick(20);
  const stopped_ms = 500 + world.pick(3000);
  let is_stopped = false;
  await world.client.load(server, {
    requests: 40,
    onAnswer(acknowledged) {
      if (acknowledged < after || is_stopped) return;
      is_stopped = true;
      Deno.kill(server.pid, "SIGSTOP");
      setTimeout(() => Deno.kill(server.pid, "SIGCONT"), stopped_ms);
    },
  });
  return { did: `stopped for ${stopped_ms} ms after ${after} acknowledgements` };
};
