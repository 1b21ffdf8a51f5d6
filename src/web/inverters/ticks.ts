// Which times are written below the map.
import { dateText, offsetText, timeText } from "../frame/zone.ts";

const minute = 60_000;
const steps = [5, 10, 15, 30, 60, 120, 180, 240, 360].map((it) => it * minute);

/** At most `most` ticks at round times; the first, and each after a change, with its offset. */
export function ticksOf(
  starts: Float64Array,
  zone: string,
  most: number,
): readonly { readonly column: number; readonly label: string }[] {
  const count = starts.length;
  if (count === 0) return [];
  const bucket_ms = count > 1 ? starts[1] - starts[0] : 15 * minute;
  if (bucket_ms > 20 * 60 * minute) {
    const every = Math.ceil(count / most);
    return [...starts.keys()].filter((column) => column % every === 0 && column <= count * 0.95)
      .map((column) => ({ column, label: dateText(starts[column] + 43_200_000, zone) }));
  }
  const span = starts[count - 1] - starts[0];
  const step = steps.find((it) => span / it <= most) ?? steps[steps.length - 1];
  let last = "";
  // Of two ticks the first gives way where it would lie below the other's text.
  return [...starts.keys()].filter((column) => {
    const [hours, minutes] = timeText(starts[column], zone).split(":").map(Number);
    return (hours * 60 + minutes) * minute % step === 0;
  }).map((column) => {
    const offset = offsetText(starts[column], zone);
    const label = timeText(starts[column], zone);
    const is_new = offset !== last;
    last = offset;
    return { column, label: is_new ? `${label}\n${offset}` : label };
  });
}
