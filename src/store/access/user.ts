// Stores the users of organizations.
import type { User } from "../../model/access/user.ts";
import type { Connection } from "../connection.ts";
import user_change from "./user_change.sql" with { type: "text" };
import user_insert from "./user_insert.sql" with { type: "text" };
import user_list from "./user_list.sql" with { type: "text" };

/** Every user, disabled ones too, the oldest first. */
export function readUsers(connection: Connection): Promise<User[]> {
  return connection.rows<User>(user_list);
}

/** Stores a new user. */
export async function insertUser(connection: Connection, user: User): Promise<void> {
  await connection.run(user_insert, user);
}

/** Stores what may change of a user. */
export async function changeUser(connection: Connection, user: User): Promise<void> {
  const { id, email, first_name, last_name, disabled_at } = user;
  await connection.run(user_change, { id, email, first_name, last_name, disabled_at });
}
