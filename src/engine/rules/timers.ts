// Points by the time at which the clock is to look at them, the earliest first.
import type { WatchedPoint } from "./point.ts";

type Entry = { readonly due_us: number; readonly point: WatchedPoint };

/**
 * A heap of points. A point whose time moves back stays where it is until its time has come, and
 * is then put where it belongs: samples, which put every silence off, cost nothing here.
 */
export class Timers {
  readonly #heap: Entry[] = [];

  /** When the first point is to be looked at; Infinity: none is. */
  get next_us(): number {
    return this.#heap[0]?.due_us ?? Infinity;
  }

  /** Notes that a point is due, unless it is noted for then or before. */
  put(point: WatchedPoint, due_us: number): void {
    if (due_us >= point.timer_us) return;
    point.timer_us = due_us;
    const heap = this.#heap;
    let at = heap.push({ due_us, point }) - 1;
    for (; at > 0; at = (at - 1) >> 1) {
      const parent = (at - 1) >> 1;
      if (heap[parent].due_us <= heap[at].due_us) break;
      [heap[parent], heap[at]] = [heap[at], heap[parent]];
    }
  }

  /** Takes out the points that are due up to `now_us`, each once. */
  take(now_us: number): ReadonlySet<WatchedPoint> {
    const due = new Set<WatchedPoint>();
    while (this.next_us <= now_us) {
      const { due_us, point } = this.#pop();
      if (due_us !== point.timer_us) continue;
      point.timer_us = Infinity;
      due.add(point);
    }
    return due;
  }

  #pop(): Entry {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = right < heap.length && heap[right].due_us < heap[left].due_us ? right : left;
      if (child >= heap.length || heap[at].due_us <= heap[child].due_us) return first;
      [heap[child], heap[at]] = [heap[at], heap[child]];
      at = child;
    }
  }
}
