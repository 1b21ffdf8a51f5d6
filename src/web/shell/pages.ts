// The pages: their order in the navigation, who may open them, and how they are loaded.
import type { ComponentType } from "preact";
import type { PageName } from "../frame/place.ts";
import type { Scope } from "../frame/session.ts";

/** A page of the screens. */
export type Page = {
  /** Its name in the address; its title is the word `page_NAME`. */
  readonly name: PageName;
  readonly scope: Scope;
  /** It stays in the bar where a phone has no room for all. */
  readonly is_first?: true;
  readonly load: () => Promise<ComponentType>;
};

export const pages: readonly Page[] = [
  {
    name: "portfolio",
    scope: "read",
    load: async () => (await import("../portfolio/page.tsx")).PortfolioPage,
  },
  {
    name: "overview",
    scope: "read",
    is_first: true,
    load: async () => (await import("../overview/page.tsx")).OverviewPage,
  },
  {
    name: "inverters",
    scope: "read",
    is_first: true,
    load: async () => (await import("../inverters/page.tsx")).InvertersPage,
  },
  {
    name: "alarms",
    scope: "read",
    is_first: true,
    load: async () => (await import("../alarms/page.tsx")).AlarmsPage,
  },
  {
    name: "work",
    scope: "read",
    is_first: true,
    load: async () => (await import("../work/page.tsx")).WorkPage,
  },
  {
    name: "trends",
    scope: "read",
    is_first: true,
    load: async () => (await import("../trends/page.tsx")).TrendsPage,
  },
  {
    name: "losses",
    scope: "read",
    load: async () => (await import("../losses/page.tsx")).LossesPage,
  },
  {
    name: "rules",
    scope: "read",
    load: async () => (await import("../rules/page.tsx")).RulesPage,
  },
  {
    name: "health",
    scope: "read",
    load: async () => (await import("../health/page.tsx")).HealthPage,
  },
  {
    name: "report",
    scope: "read",
    load: async () => (await import("../report/page.tsx")).ReportPage,
  },
  {
    name: "import",
    scope: "ingest",
    load: async () => (await import("../import/page.tsx")).ImportPage,
  },
];
