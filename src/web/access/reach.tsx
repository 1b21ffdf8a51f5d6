// Which plants somebody reaches: all of them, or some, in lists and in forms.
import { type Scope, session } from "../frame/session.ts";
import { Choices } from "../parts/form.tsx";
import { say } from "./say.ts";

/** The plants by name; null stands for all of them. */
export function projectsText(project_ids: readonly string[] | null): string {
  if (project_ids === null) return say().all_plants;
  const { projects = [] } = session.value ?? {};
  return project_ids.map((id) => projects.find((it) => it.id === id)?.name ?? id).join(", ");
}

/** The choice of plants: none chosen stands for all of them. */
export function Reach({ project_ids }: { readonly project_ids: readonly string[] | null }) {
  const { projects = [] } = session.value ?? {};
  return (
    <Choices
      title={say().plants}
      name="projects"
      choices={projects.map(({ id, name }) => [id, name])}
      chosen={project_ids ?? []}
      help={say().plants_help}
    />
  );
}

/** The plants that were chosen, as requests name them; left out where all are meant. */
export function reachOf(form: FormData): { readonly projects?: readonly string[] } {
  const projects = form.getAll("projects").map(String);
  return projects.length > 0 ? { projects } : {};
}

const scopes: readonly Scope[] = ["read", "ingest", "operate", "manage", "sync", "query", "admin"];

/** The scopes that `may` be given, each with what it lets one do. */
export function scopeChoices(may: (scope: Scope) => boolean): [string, string][] {
  return scopes.filter(may).map((scope) => [scope, `${scope}: ${say()[`scope_${scope}`]}`]);
}
