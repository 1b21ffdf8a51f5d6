// The overview.
import { project } from "../frame/session.ts";

/** What a plant does now. */
export function OverviewPage() {
  return <h1>{project.value?.name}</h1>;
}
