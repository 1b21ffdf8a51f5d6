// Data health: what an administrator needs, in sections; each is there for those who may use it.
import type { ComponentType } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { at_ms } from "../frame/clock.ts";
import { change } from "../frame/place.ts";
import { say as say_frame } from "../frame/say.ts";
import { Link } from "../parts/message.tsx";
import { Outcome } from "../parts/form.tsx";
import { last_outcome } from "../parts/act.ts";
import { Counters } from "./counters.tsx";
import { Coverage } from "./coverage.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Destinations } from "./destinations.tsx";
import { Forwarding } from "./forwarding.tsx";
import { Password } from "../access/password.tsx";
import { say } from "./say.ts";
import { data_sections, type Section, section, sections } from "./section.ts";
import { Sensors } from "./sensors.tsx";
import { Setpoints } from "./setpoints.tsx";
import { Sources } from "./sources.tsx";
import { Service } from "./service.tsx";
import { Sessions } from "../access/sessions.tsx";
import { Tokens } from "../access/tokens.tsx";
import { Users } from "../access/users.tsx";

const bodies: Readonly<Record<Section, ComponentType>> = {
  sensors: Sensors,
  coverage: Coverage,
  counters: Counters,
  sources: Sources,
  setpoints: Setpoints,
  forwarding: Forwarding,
  destinations: Destinations,
  service: Service,
  deliveries: Deliveries,
  users: Users,
  tokens: Tokens,
  sessions: Sessions,
  password: Password,
};

/** Sections that can tell how it was at a moment of the past; the others tell of now alone. */
const past_sections: readonly Section[] = ["coverage", "counters"];

/** The page. */
export function HealthPage() {
  const name = section.value;
  const Body = bodies[name];
  const is_past = at_ms.value !== undefined && !past_sections.includes(name);
  useLayoutEffect(() => {
    last_outcome.value = undefined;
  }, [name]);
  return (
    <div class="health">
      <nav aria-label={say().sections}>
        <SectionLinks title={say().about_data} names={data_sections} />
        <SectionLinks
          title={say().about_service}
          names={sections.value.filter((it) => !data_sections.includes(it))}
        />
      </nav>
      <div class="health-body">
        <Outcome />
        {is_past ? <OnlyNow /> : <Body />}
      </div>
    </div>
  );
}

function SectionLinks({ title, names }: {
  readonly title: string;
  readonly names: readonly Section[];
}) {
  return (
    <div>
      <h2 class="quiet">{title}</h2>
      <ul>
        {names.filter((it) => sections.value.includes(it)).map((it) => (
          <li>
            <Link page="health" params={{ section: it }} class={it === section.value ? "here" : ""}>
              {say()[`section_${it}`]}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function OnlyNow() {
  return (
    <section class="panel">
      <p>{say().only_now}</p>
      <button type="button" onClick={() => change({ at: undefined })}>
        {say_frame().back_to_now}
      </button>
    </section>
  );
}
