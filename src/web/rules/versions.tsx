// How a rule came to be what it is: its versions, the newest first.
import { changesOf } from "../alarm/rule_change.ts";
import { moment_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { zone } from "../frame/session.ts";
import { instantText, offsetText } from "../frame/zone.ts";
import { Loaded } from "../parts/panel.tsx";
import { say } from "./say.ts";
import { getVersions, type Rule } from "./store.ts";

const shown = 10;

/** The versions until the moment. */
export function Versions({ rule }: { readonly rule: Rule }) {
  const { site, key, version } = rule;
  const versions = useLoad([site, key, version], (_, signal) => getVersions(rule, signal));
  return (
    <section>
      <h3>{say().versions}</h3>
      <Loaded of={versions}>
        {(all) => {
          const known = all.filter((it) => Date.parse(it.valid_from) <= moment_ms.value);
          return (
            <ol class="rules-versions">
              {known.slice(0, shown).map((it, i) => (
                <Version of={it} before={known[i + 1]} key={it.version} />
              ))}
            </ol>
          );
        }}
      </Loaded>
    </section>
  );
}

function Version({ of, before }: { readonly of: Rule; readonly before: Rule | undefined }) {
  const at = Date.parse(of.valid_from);
  const changes = before ? changesOf(before.definition, of.definition) : [];
  return (
    <li>
      <span class="quiet small">
        {say().version(String(of.version))} ·{" "}
        <time dateTime={of.valid_from}>
          {instantText(at, zone.value)} {offsetText(at, zone.value)}
        </time>{" "}
        · {of.author ?? (of.origin === "site_file" ? say().site_file : say().machine)}
      </span>
      <ul>
        {changes.length === 0
          ? <li>{before ? say().unchanged : say().made}</li>
          : changes.map((it) => <li key={it}>{it}</li>)}
      </ul>
    </li>
  );
}
