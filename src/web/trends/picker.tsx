// Adds curves: a search over devices, measures and tags, by keyboard too.
import { computed, useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { devices } from "../frame/plant.ts";
import { most_curves, wordOf } from "./curve.ts";
import { measureName, say } from "./say.ts";
import { type Entry, found } from "./search.ts";
import { hasExpected, tags } from "./source.ts";
import { curve_words, setCurves } from "./view.ts";

/** How many hits are offered at once. */
const most_hits = 60;

/** Everything that can be added: whole groups, measures of the plant, of devices, tags. */
const entries = computed<readonly Entry[]>(() => {
  const groups = Object.entries(Object.groupBy(
    devices.value.flatMap((device) => device.sensors.map((sensor) => ({ device, sensor }))),
    ({ sensor }) => `${sensor.component}:${sensor.component_measure}`,
  ));
  return [
    ...groups.flatMap(([, members]) => groupEntries(members!)),
    ...groups.flatMap(([, members]) =>
      members!.flatMap(({ device, sensor: { component_measure: measure, sensor_tag } }) =>
        withExpected(measure, (is_expected) => ({
          words: [wordOf({ kind: "sensor", device: device.key, measure, is_expected })],
          title: titleOf(`${device.name} ${measureName(measure)}`, { is_expected }),
          detail: `${device.key} ${sensor_tag} ${measure}`,
        }))
      )
    ),
    ...Array.from(tags.value.values(), ({ sensor_tag: tag }) => ({
      words: [wordOf({ kind: "tag", tag })],
      title: say().as_sent(tag),
      detail: tags.value.get(tag)!.unit ?? "",
    })),
  ];
});

type Member = {
  readonly device: { readonly key: string };
  readonly sensor: { readonly component: string; readonly component_measure: string };
};

/** All devices of a measure as one curve each, and as one of the plant. */
function groupEntries(members: readonly Member[]): readonly Entry[] {
  const { component, component_measure: measure } = members[0].sensor;
  const name = measureName(measure);
  const total = withExpected(measure, (is_expected) => ({
    words: [wordOf({ kind: "total", component, measure, is_expected })],
    title: titleOf(`${say().whole_plant(component)} ${name}`, { is_expected }),
    detail: measure,
  }));
  if (members.length < 2) return total;
  const words = members.map(({ device }) =>
    wordOf({ kind: "sensor", device: device.key, measure, is_expected: false })
  );
  const all = {
    words,
    title: say().all_devices(members.length, component, name),
    detail: `${say().curves_of(words.length)} ${measure}`,
  };
  return [all, ...total];
}

function withExpected(measure: string, entryOf: (is_expected: boolean) => Entry): readonly Entry[] {
  return hasExpected(measure) ? [entryOf(false), entryOf(true)] : [entryOf(false)];
}

function titleOf(name: string, { is_expected }: { readonly is_expected: boolean }): string {
  return is_expected ? `${name}, ${say().expected}` : name;
}

/** A field to search by, and what it finds. */
export function Picker({ onDone }: { readonly onDone: () => void }) {
  const query = useSignal("");
  const place = useSignal(0);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current!.focus(), []);
  const { hits, count } = found(entries.value, { query: query.value, most: most_hits });
  const at = Math.min(place.value, hits.length - 1);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => place.value = Math.min(at + 1, hits.length - 1),
    ArrowUp: () => place.value = Math.max(at - 1, 0),
    Enter: () => hits[at] && toggle(hits[at]),
    Escape: onDone,
  };
  return (
    <div class="picker">
      <input
        type="search"
        role="combobox"
        ref={field}
        aria-label={say().search}
        placeholder={say().search}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={hits.length > 0 ? `${id}-${at}` : undefined}
        value={query.value}
        onInput={({ currentTarget }) => {
          query.value = currentTarget.value;
          place.value = 0;
        }}
        onKeyDown={(event) => {
          if (!Object.hasOwn(keys, event.key)) return;
          event.preventDefault();
          keys[event.key]();
        }}
      />
      <p class="quiet" role="status">
        {hits.length === 0
          ? say().no_results
          : curve_words.value.length >= most_curves
          ? say().too_many(most_curves)
          : say().results(hits.length, count)}
      </p>
      <ul id={id} role="listbox" aria-label={say().curves} aria-multiselectable="true">
        {hits.map((entry, i) => (
          <Hit
            entry={entry}
            id={`${id}-${i}`}
            is_active={i === at}
            onAim={() => place.value = i}
          />
        ))}
      </ul>
    </div>
  );
}

function Hit({ entry, id, is_active, onAim }: {
  readonly entry: Entry;
  readonly id: string;
  readonly is_active: boolean;
  readonly onAim: () => void;
}) {
  return (
    <li
      id={id}
      role="option"
      class={is_active ? "active" : undefined}
      aria-selected={isShown(entry)}
      ref={(it) => {
        if (is_active) it?.scrollIntoView({ block: "nearest" });
      }}
      onPointerMove={() => is_active || onAim()}
      onClick={() => toggle(entry)}
    >
      <span aria-hidden="true">{isShown(entry) ? "✓" : "+"}</span>
      {entry.title}
      <small class="quiet">{entry.detail}</small>
    </li>
  );
}

function isShown({ words }: Entry): boolean {
  return words.every((word) => curve_words.value.includes(word));
}

/** Adds what is not shown yet; what is shown already goes. */
function toggle(entry: Entry): void {
  const others = curve_words.value.filter((word) => !entry.words.includes(word));
  setCurves(isShown(entry) ? others : [...others, ...entry.words]);
}
