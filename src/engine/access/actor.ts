// Who acts on alarms and work, and whom work is given to: users of the project's organization.
import { Fault } from "../../base/fault.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Grant } from "../../model/access/token.ts";
import { isNamed, type User, userRefusal } from "../../model/access/user.ts";
import type { Users } from "./user.ts";

/** Where someone acts, with which token, and as whom: an id or an e-mail address. */
type Acting = {
  readonly project: Project;
  readonly grant: Grant;
  readonly word: string | undefined;
};

/** What is wrong with a word that names nobody. */
export const no_user = "is no user of the project's organization who can act";

/**
 * The id of the user who acts: the token's own, or else the one who is named; null where neither
 * is. Throws a `Fault`: forbidden where a user's token would act as another, invalid for a word
 * that names nobody. An address is never repeated in what is refused.
 */
export function actorOf(
  users: Pick<Users, "get" | "named">,
  { word, project, grant }: Acting,
): string | null {
  if (grant.user_id !== null) {
    const own = users.get(grant.user_id);
    if (word === undefined || (own && isNamed(own, word))) return grant.user_id;
    throw new Fault("forbidden", "a user's token can't act as another user");
  }
  if (word === undefined) return null;
  const found = userNamed(users, { word, project });
  if (found) return found.id;
  throw userRefusal([{ path: "user", message: no_user }]);
}

/** The user of a project's organization who can act and whom an id or an e-mail address names. */
export function userNamed(
  users: Pick<Users, "named">,
  { word, project }: { readonly word: string; readonly project: Project },
): User | undefined {
  return users.named(word).find((it) => it.organization_id === project.organization_id);
}
