// Data that is loaded when what it depends on changes, with its age and its failure.
import { effect, type ReadonlySignal, type Signal, signal, useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { type Problem, problemOf } from "./api.ts";
import { after, now_ms } from "./clock.ts";

/** What is there of some data, and how it goes with the rest. */
export type Load<T> = {
  /** The newest that came; kept while newer is asked for, gone when something else is. */
  readonly data: T | undefined;
  /** Why the last try failed. */
  readonly problem: Problem | undefined;
  readonly is_loading: boolean;
  /** When `data` came, in milliseconds since 1970 UTC. */
  readonly loaded_ms: number;
};

/** What is asked for: undefined asks for nothing yet, null for nothing at all. */
type Key = string | readonly unknown[] | null | undefined;

type Get<K, T> = (key: K, signal: AbortSignal) => Promise<T>;

/** How data is kept: asked for anew after `refresh_ms`, and whenever `again` changes. */
type Keeping = { readonly refresh_ms?: number; readonly again?: unknown };

/** After this long without an answer, what is shown is called stale. */
const stale_ms = 15_000;

const retry_ms = 3_000;

/** Grows when everything that is shown has to be asked for anew. */
const round = signal(0);

/** Has all data read again; what is shown stays until it comes. */
export function readAllAgain(): void {
  round.value++;
}

/** What `get` gives for a key that signals make, for as long as the browser is there. */
export function load<const K extends Key, T>(
  keyOf: () => K | undefined,
  get: Get<K, T>,
): ReadonlySignal<Load<T>> {
  const state = signal<Load<T>>(nothing());
  let shown: string | undefined;
  let shown_round = round.peek();
  let stop = () => {};
  effect(() => {
    const key = keyOf();
    const text = JSON.stringify(key);
    if (text === shown && round.value === shown_round) return;
    stop();
    if (text !== shown) state.value = nothing();
    [shown, shown_round] = [text, round.value];
    stop = key === undefined ? () => {} : follow(state, { key, get });
  });
  return state;
}

/** The same in a component, which draws itself anew when data come; it ends with the component. */
export function useLoad<const K extends Key, T>(
  key: K | null | undefined,
  get: Get<K, T>,
  { refresh_ms, again }: Keeping = {},
): Load<T> {
  const state = useSignal<Load<T>>(nothing());
  const shown = useSignal<string | undefined>(undefined);
  const text = JSON.stringify(key);
  useLayoutEffect(() => {
    if (shown.peek() !== text) state.value = { ...nothing(), is_loading: key !== null };
    shown.value = text;
    return key === undefined || key === null ? undefined : follow(state, { key, get, refresh_ms });
  }, [text, again, round.value]);
  return shown.value === text ? state.value : nothing();
}

/** Loaded data in another form. */
export function mapped<T, U>(loaded: Load<T>, change: (data: T) => U): Load<U> {
  const { data } = loaded;
  return { ...loaded, data: data === undefined ? undefined : change(data) };
}

/** Whether what is shown is older than it should be. */
export function isStale({ loaded_ms, problem, is_loading }: Load<unknown>): boolean {
  return loaded_ms > 0 && (problem !== undefined || is_loading) &&
    now_ms.value - loaded_ms > stale_ms;
}

/** Asks, and asks again where that is wanted or a try failed; the answer ends it. */
function follow<K extends Key, T>(
  state: Signal<Load<T>>,
  { key, get, refresh_ms }: { readonly key: K; readonly get: Get<K, T> } & Keeping,
): () => void {
  const stop = new AbortController();
  let callOff = () => {};
  const ask = async () => {
    state.value = { ...state.peek(), is_loading: true };
    const next = await get(key, stop.signal).then(
      (data) => ({ data, problem: undefined, loaded_ms: now_ms.peek() }),
      (error) => ({ ...state.peek(), problem: problemOf(error) }),
    );
    if (stop.signal.aborted) return;
    state.value = { ...next, is_loading: false };
    const wait_ms = next.problem && mayPass(next.problem) ? retry_ms : refresh_ms;
    if (wait_ms !== undefined) callOff = after(wait_ms, () => void ask());
  };
  void ask();
  return () => {
    stop.abort();
    callOff();
  };
}

/** Whether a failure is of the kind that a later try need not meet. */
function mayPass({ status }: Problem): boolean {
  return status === 0 || status === 429 || status >= 500 && status !== 501;
}

function nothing(): Load<never> {
  return { data: undefined, problem: undefined, is_loading: true, loaded_ms: 0 };
}
