// Changing an issue or a work order, so that nobody undoes unseen what somebody else did.
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { getTagged, Problem, send } from "../frame/api.ts";
import { work_beat } from "../frame/live.ts";
import { project } from "../frame/session.ts";
import { type Difference, differencesOf } from "./replay.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A change that was not made, for somebody else changed the same thing. */
type Conflict = {
  readonly body: Fields;
  readonly theirs: readonly Difference[];
  readonly etag: string | undefined;
};

type ChangeState = {
  readonly is_busy: boolean;
  readonly problem?: Problem;
  readonly conflict?: Conflict;
};

/** The way to change one thing, and how the last change went. */
export type Changing = {
  readonly state: ReadonlySignal<ChangeState>;
  /** Whether it was made. */
  readonly change: (body: Fields) => Promise<boolean>;
  /** Makes the change that was not made, over the other one. */
  readonly insist: () => void;
  readonly giveUp: () => void;
};

/** Where a thing is, what was read of it, and the tag of that. */
type Target = {
  readonly path: string;
  readonly read: Fields;
  readonly etag: string | undefined;
};

/** Changes what was read at `path`. */
export function useChange({ path, read, etag }: Target): Changing {
  const state = useSignal<ChangeState>({ is_busy: false });
  const change = async (body: Fields, if_match = etag) => {
    if (state.peek().is_busy) return false;
    state.value = { is_busy: true, conflict: state.peek().conflict };
    state.value = { is_busy: false, ...await attempt({ path, read, etag: if_match }, body) };
    work_beat.value++;
    return !state.peek().problem && !state.peek().conflict;
  };
  return {
    state,
    change: (body) => change(body),
    insist: () => {
      const { conflict } = state.peek();
      if (conflict) void change(conflict.body, conflict.etag);
    },
    giveUp: () => state.value = { is_busy: false },
  };
}

/** Tries a change; where only what this page does not change is otherwise now, once more. */
async function attempt(target: Target, body: Fields): Promise<Omit<ChangeState, "is_busy">> {
  const { path, read } = target;
  const query = { project_id: project.peek()!.id };
  try {
    await send("PATCH", path, { query, body, if_match: target.etag });
    return {};
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status !== 412) return { problem: error };
  }
  try {
    const { value, etag } = await getTagged<Fields>(path, query);
    const theirs = differencesOf(read, value);
    if (theirs.length > 0) return { conflict: { body, theirs, etag } };
    await send("PATCH", path, { query, body, if_match: etag });
    return {};
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}
