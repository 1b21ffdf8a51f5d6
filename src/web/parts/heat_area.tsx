// The ground of a heat map: the cursor by mouse and keys, opening a cell, dragging over columns.
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { HeatCell, HeatProps } from "./heat.tsx";

type AreaProps = {
  readonly props: HeatProps;
  readonly cursor: Signal<HeatCell | undefined>;
  readonly row_px: number;
  readonly children: ComponentChildren;
};

/** The ground that is pointed at. */
export function HeatArea({ props, cursor, row_px, children }: AreaProps) {
  const { rows, columns, chosen } = props;
  const drag = useSignal<number | undefined>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const chosen_row = chosen?.row;
  useLayoutEffect(() => {
    if (chosen_row !== undefined) reveal(box.current!, chosen_row, { row_px });
  }, [chosen_row, row_px]);
  const cellAt = ({ clientX, clientY }: MouseEvent): HeatCell => {
    const { left, top, width } = box.current!.getBoundingClientRect();
    const column = Math.floor((clientX - left) * columns / width);
    return {
      row: within(Math.floor((clientY - top) / row_px), rows.length),
      column: within(column, columns),
    };
  };
  const release = (event: PointerEvent) => {
    const [first, { column }] = [drag.peek(), cellAt(event)];
    drag.value = undefined;
    if (first === undefined || event.button !== 0) return;
    const is_drag = props.onZoom && Math.abs(column - first) >= 2;
    if (is_drag) props.onZoom!(Math.min(first, column), Math.max(first, column));
    else props.onOpen(cellAt(event));
  };
  return (
    <div
      ref={box}
      class="heat-area"
      role="application"
      aria-label={props.label}
      tabIndex={0}
      style={{ height: rows.length * row_px }}
      onPointerDown={(event) => drag.value = cellAt(event).column}
      onPointerMove={(event) => cursor.value = cellAt(event)}
      onPointerLeave={() => cursor.value = drag.value = undefined}
      onPointerCancel={() => drag.value = undefined}
      onPointerUp={release}
      onKeyDown={(event) => pressed(event, { props, cursor, row_px })}
    >
      {children}
      {chosen && <Frame {...{ props, row_px }} at={chosen} />}
      <Cursor {...{ props, row_px, cursor, drag }} />
    </div>
  );
}

/** What the cursor is on, and what is being dragged over. */
function Cursor({ props, row_px, cursor, drag }: Omit<AreaProps, "children"> & {
  readonly drag: Signal<number | undefined>;
}) {
  const at = cursor.value;
  if (!at || at.row >= props.rows.length) return null;
  const first = drag.value;
  if (first === undefined || !props.onZoom || Math.abs(first - at.column) < 2) {
    return <Frame {...{ props, row_px, at }} />;
  }
  const share = (columns: number) => `${100 * columns / props.columns}%`;
  const style = {
    top: 0,
    bottom: 0,
    left: share(Math.min(first, at.column)),
    width: share(Math.abs(first - at.column) + 1),
  };
  return <div class="heat-frame drag" style={style} />;
}

/** A frame around a cell, or along a row. */
function Frame({ props: { columns }, row_px, at: { row, column } }: {
  readonly props: HeatProps;
  readonly row_px: number;
  readonly at: { readonly row: number; readonly column?: number };
}) {
  const height = Math.max(6, row_px + 2);
  const top = (row + 0.5) * row_px - height / 2;
  if (column === undefined) {
    return <div class="heat-frame row" style={{ top, height, left: 0, right: 0 }} />;
  }
  const share = (it: number) => `${100 * it / columns}%`;
  const style = { top, height, left: share(column), width: `max(6px, ${share(1)})` };
  return <div class="heat-frame" style={style} />;
}

const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

function pressed(
  event: KeyboardEvent,
  { props, cursor, row_px }: Omit<AreaProps, "children">,
): void {
  const { rows, columns, chosen } = props;
  const at = cursor.peek() ?? { row: chosen?.row ?? 0, column: chosen?.column ?? 0 };
  if (event.key === "Escape") cursor.value = undefined;
  if (event.key === "Enter" || event.key === " ") props.onOpen(at);
  else if (!Object.hasOwn(steps, event.key)) return;
  event.preventDefault();
  if (!Object.hasOwn(steps, event.key)) return;
  const [down, right] = cursor.peek() ? steps[event.key] : [0, 0];
  const row = within(at.row + down, rows.length);
  cursor.value = { row, column: within(at.column + right, columns) };
  reveal(event.currentTarget as HTMLElement, row, { row_px });
}

/** Scrolls the map, not the page, so far that a row is seen. */
function reveal(area: HTMLElement, row: number, { row_px }: { readonly row_px: number }): void {
  const box = area.closest(".heat-scroll")!;
  const [top, bottom] = [row * row_px, (row + 1) * row_px];
  if (top < box.scrollTop) box.scrollTop = top;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

function within(at: number, count: number): number {
  return Math.max(0, Math.min(count - 1, at));
}
