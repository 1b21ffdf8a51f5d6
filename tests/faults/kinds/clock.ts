// The wall clock is set by 400 days, forth and back, while the program runs and over its starts.
import type { Kind } from "../round.ts";

const far_s = 400 * 86_400;

export const clock: Kind = async (world) => {
  const way = world.choose([1, -1]);
  const restarts = world.pick(2) === 0;
  let server = await world.start();
  for (const step_s of [0, way * far_s, 0, way * -far_s, 0].slice(0, 3 + world.pick(3))) {
    if (restarts && world.pick(2) === 0) {
      await (world.pick(2) === 0 ? world.kill() : server.end("SIGTERM"));
      world.orders.setClock(step_s);
      server = await world.start();
    } else world.orders.setClock(step_s);
    await world.client.load(server, { requests: 8 });
  }
  const did = `the clock was set ${way > 0 ? "forth" : "back"}${restarts ? ", over starts" : ""}`;
  return { did, is_clock_set: true };
};
