// Commands about one project of a running service, which need not be named if it is the only one.
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { askRunning, type Context } from "./context.ts";
import type { Question, RemoteFlags } from "./remote.ts";

/** The flags that name a service, and a project of it. */
export type ProjectFlags = RemoteFlags & { readonly project?: string };

/** Adds the flag that names the project. */
export function withProject(command: Command): Command {
  return command.option("--project <key>", "the project, where there are several: key or id");
}

/** Asks the running service about the project. Throws a `Fault` where it is not clear which. */
export async function askProject<Answer>(
  context: Context,
  flags: ProjectFlags,
  question: Question,
): Promise<Answer> {
  const project_id = flags.project ?? await onlyProject(context, flags);
  const search = { project_id, ...question.search };
  return await askRunning<Answer>(context, flags, { ...question, search });
}

async function onlyProject(context: Context, flags: RemoteFlags): Promise<string> {
  type Projects = { readonly projects: readonly { readonly key: string }[] };
  const { projects } = await askRunning<Projects>(context, flags, {
    path: "/platform/v1/meta/projects",
  });
  if (projects.length === 1) return projects[0].key;
  const known = projects.map(({ key }) => key).join(", ") || "none";
  throw new Fault("invalid", `say which project with --project; the service has ${known}`);
}
