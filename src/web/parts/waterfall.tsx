// A waterfall: from what was expected, loss by loss, to what was produced, in figures that add up.
import type { ComponentChildren } from "preact";
import { all_losses, type Loss } from "../frame/performance.ts";
import { apportion, type Rounding, stepOf, stepsText } from "../frame/rounded.ts";
import { say } from "../frame/say.ts";

type Step = "expected" | Loss | "produced";

type WaterfallProps = {
  readonly expected: number;
  readonly produced: number;
  /** Energies in Wh: with what was produced they add up to what was expected. */
  readonly losses: Readonly<Record<Loss, number>>;
  readonly rounding: Rounding;
  /** Puts a step's name into a link to what it is made of. */
  readonly linked?: (step: Step, name: ComponentChildren) => ComponentChildren;
};

/** The steps of an account; losses of nothing are left out. */
export function Waterfall({ expected, produced, losses, rounding, linked }: WaterfallProps) {
  const shown = all_losses.filter((loss) => loss === "other" || losses[loss] !== 0);
  const step = stepOf(rounding);
  const [made, ...figures] = apportion(
    [produced, ...shown.map((loss) => losses[loss])],
    step,
    Math.round(expected / step),
  );
  const greatest = Math.max(expected, produced);
  const name = linked ?? ((_: Step, name: ComponentChildren) => name);
  let reached = expected;
  return (
    <dl class="account">
      <dt>{name("expected", say().loss_expected)}</dt>
      <Bar from={0} to={expected} {...{ greatest }} kind="expected" />
      <dd class="number">{stepsText(Math.round(expected / step), rounding)}</dd>
      {shown.map((loss, i) => {
        const from = reached;
        reached -= losses[loss];
        return (
          <>
            <dt>{name(loss, say()[`loss_${loss}`])}</dt>
            <Bar from={reached} to={from} {...{ greatest }} kind={loss} />
            <dd class="number">{stepsText(figures[i], rounding)}</dd>
          </>
        );
      })}
      <dt>{name("produced", say().loss_produced)}</dt>
      <Bar from={0} to={produced} {...{ greatest }} kind="produced" />
      <dd class="number">{stepsText(made, rounding)}</dd>
    </dl>
  );
}

function Bar({ from, to, greatest, kind }: {
  readonly from: number;
  readonly to: number;
  readonly greatest: number;
  readonly kind: Step;
}) {
  const percent = (energy: number) => `${Math.min(100, Math.max(0, 100 * energy / greatest))}%`;
  const style = { left: percent(Math.min(from, to)), width: percent(Math.abs(to - from)) };
  return (
    <dd aria-hidden="true">
      <i class={`share ${kind}`} style={style} />
    </dd>
  );
}
