// Moving and zooming a span of time by hand: wheel, fingers, a drag of the mouse.
import { moved, pinched, type Span, zoomed } from "../frame/span.ts";

/** What gestures ask for, and whom they tell. */
type Hand = {
  /** The span that is shown now. */
  readonly shown: () => Span;
  /** Whether a drag of the mouse moves the span; with Shift it always does. */
  readonly isMoving: () => boolean;
  readonly onMove: (from_ms: number, to_ms: number) => void;
};

/** Whether a press of the mouse moves the span instead of choosing one. */
export function movesSpan({ shiftKey }: { readonly shiftKey: boolean }, { isMoving }: Hand) {
  return shiftKey || isMoving();
}

/** Follows wheel, fingers and mouse over the element on which the span lies. */
export function followHand(element: HTMLElement, hand: Hand): void {
  const tell = ({ from_ms, to_ms }: Span) => hand.onMove(from_ms, to_ms);
  const shareOf = ({ clientX }: { readonly clientX: number }) => {
    const { left, width } = element.getBoundingClientRect();
    return (clientX - left) / width;
  };
  element.style.touchAction = "pan-y";
  followWheel(element, { ...hand, shareOf, tell });
  const down = new Map<number, number>();
  element.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && !(event.button === 0 && movesSpan(event, hand))) return;
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, shareOf(event));
  });
  element.addEventListener("pointermove", (event) => {
    const before = [...down.values()];
    if (!down.has(event.pointerId) || before.length > 2) return;
    down.set(event.pointerId, shareOf(event));
    const after = [...down.values()];
    if (before.length === 1) tell(moved(hand.shown(), before[0] - after[0]));
    else tell(pinched(hand.shown(), [before[0], before[1]], [after[0], after[1]]));
  });
  for (const end of ["pointerup", "pointercancel"] as const) {
    element.addEventListener(end, ({ pointerId }) => down.delete(pointerId));
  }
}

/** The wheel zooms with Ctrl, as pinching a touchpad does, and moves sideways. */
function followWheel(
  element: HTMLElement,
  { shown, shareOf, tell }: Hand & {
    readonly shareOf: (event: WheelEvent) => number;
    readonly tell: (shown: Span) => void;
  },
): void {
  element.addEventListener("wheel", (event) => {
    const { deltaX, deltaY, ctrlKey, metaKey, shiftKey } = event;
    const isSideways = shiftKey || Math.abs(deltaX) > Math.abs(deltaY);
    if (!ctrlKey && !metaKey && !isSideways) return;
    event.preventDefault();
    if (isSideways) tell(moved(shown(), (deltaX || deltaY) / element.clientWidth));
    else tell(zoomed(shown(), Math.exp(Math.max(-60, Math.min(60, deltaY)) / 150), shareOf(event)));
  }, { passive: false });
}
