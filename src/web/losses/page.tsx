// Losses and availability: what was lost, where, why, and whether it is getting worse.
import { useSignal } from "@preact/signals";
import { after } from "../frame/clock.ts";
import { AccountPanel, RangeFigures } from "./account_panel.tsx";
import { AvailabilityByTime, States } from "./availability_panel.tsx";
import { Pending } from "../parts/message.tsx";
import { LossesByDevice } from "./by_device.tsx";
import { LossesByTime } from "./by_time.tsx";
import { useAccounts, useAvailability } from "./data.ts";
import { Degradation } from "./degradation.tsx";
import { Evidence } from "./evidence.tsx";
import { Overrides } from "./overrides.tsx";
import { Pareto } from "./pareto.tsx";
import { Toolbar } from "./toolbar.tsx";
import { selection, shownRange } from "./view.ts";

/** How soon the service has computed anew what an override changes. */
const recomputed_ms = 5000;

/** The losses and the availability of whole days. */
export function LossesPage() {
  const range = shownRange();
  const count = useSignal(0);
  const accounts = useAccounts(range, count.value);
  const availability = useAvailability(range, count.value);
  const selected = selection();
  const onChange = () => {
    count.value++;
    after(recomputed_ms, () => count.value++);
  };
  return (
    <div class="losses">
      <Toolbar range={range} />
      <Pending {...range} />
      <RangeFigures {...{ accounts, availability }} />
      {selected && <Evidence of={selected} key={JSON.stringify(selected)} />}
      <AccountPanel of={accounts} range={range} />
      <LossesByTime of={accounts} range={range} />
      <Pareto of={accounts} />
      <Degradation />
      <LossesByDevice of={accounts} availability={availability} range={range} />
      <AvailabilityByTime of={availability} range={range} />
      <States of={availability} range={range} />
      <Overrides range={range} changed={{ count: count.value, onChange }} />
    </div>
  );
}
