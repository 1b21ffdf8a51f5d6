// A small plot without axes: how a figure went, with its last value marked.

type SparkProps = {
  /** What the plot shows, in words. */
  readonly label: string;
  readonly values: ArrayLike<number>;
  /** What the lower and the upper edge stand for. */
  readonly low: number;
  readonly high: number;
};

const [width, height] = [150, 30];

/** A line of the values; a gap where one is not known. */
export function Spark({ label, values, low, high }: SparkProps) {
  const x = (i: number) => values.length < 2 ? width : 2 + i * (width - 5) / (values.length - 1);
  const y = (value: number) => {
    const share = (Math.min(high, Math.max(low, value)) - low) / (high - low);
    return height - 3 - share * (height - 6);
  };
  const points = Array.from(values, (value, i) => Number.isNaN(value) ? null : [x(i), y(value)]);
  let is_down = false;
  const path = points.map((point) => {
    const command = point === null ? "" : `${is_down ? "L" : "M"}${point[0]} ${point[1]}`;
    is_down = point !== null;
    return command;
  }).join("");
  const last = points.findLast((point) => point !== null);
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path d={path} />
      {last && <circle cx={last[0]} cy={last[1]} r="2.5" />}
    </svg>
  );
}
