// V8's inspector of a process that runs with `--inspect`: which files ran since it was last asked.

/** A connection to it. */
export type Inspector = {
  /** The URLs of the scripts of which some function ran since the last call. */
  readonly takeFiles: () => Promise<ReadonlySet<string>>;
};

type Coverage = {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
};

/** Connects, and counts calls from now on (Chrome DevTools Protocol, domain Profiler). */
export async function inspect(address: string): Promise<Inspector> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (result: unknown) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`there is no inspector at ${address}`));
  });
  let last_id = 0;
  const call = <T>(method: string, params = {}): Promise<T> =>
    new Promise((resolve) => {
      waiting.set(++last_id, (result) => resolve(result as T));
      socket.send(JSON.stringify({ id: last_id, method, params }));
    });
  await call("Profiler.enable");
  await call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return {
    async takeFiles() {
      const { result } = await call<Coverage>("Profiler.takePreciseCoverage");
      const ran = result.filter(({ functions }) =>
        functions.some(({ ranges }) => ranges.some(({ count }) => count > 0))
      );
      return new Set(ran.map(({ url }) => url));
    },
  };
}
