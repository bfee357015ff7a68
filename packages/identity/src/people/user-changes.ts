import type { Caller } from "@sealhouse/request-types";
import type { Person, Role, UserState } from "./person.ts";
import type { People } from "./ports.ts";

/** A change of the state of a user, by an administrator. */
export type UserAction = "approve" | "block" | "unblock";

type StateChange = {
  readonly to: UserState;
  /** The states that it fits. */
  readonly from: readonly UserState[];
  /** `blocked`, after the handle. */
  readonly done: string;
};

/** Changes of the state of a user. */
export const USER_ACTIONS = {
  approve: { to: "active", from: ["pending", "suspended"], done: "approved" },
  block: { to: "blocked", from: ["active", "pending", "suspended"], done: "blocked" },
  unblock: { to: "active", from: ["blocked"], done: "no longer blocked" },
} as const satisfies Readonly<Record<UserAction, StateChange>>;

/** Outcome of a change of a user. `text` is a sentence. */
export type UserChanged =
  | { readonly status: "done"; readonly person: Person; readonly text: string }
  | { readonly status: "refused"; readonly why: "last" | "state"; readonly text: string };

/** Sets, approves, blocks or unblocks, for commands and pages. Rejects an unknown user. */
export async function changeState(
  people: Pick<People, "find" | "setState" | "unblock">,
  person: Person,
  { action, reason, by }: StateRequest,
): Promise<UserChanged> {
  const change: StateChange = USER_ACTIONS[action];
  if (person.state !== change.to && !change.from.includes(person.state)) {
    return { status: "refused", why: "state", text: `${person.handle} is ${person.state}.` };
  }
  const wanted = { state: change.to, ...(reason !== undefined && { reason }) };
  // After a block the user gets the state that it would have without it.
  const outcome =
    action === "unblock"
      ? await people.unblock(person.id, by)
      : await people.setState(person.id, wanted, by);
  if (outcome === "last") return lastAdministrator(person);
  const changed = await requirePerson(people, person);
  return { status: "done", person: changed, text: stateText(changed, action) };
}

/** States what a change of the state of a user did, in a sentence. */
export function stateText(
  { handle, state }: Pick<Person, "handle" | "state">,
  action: UserAction,
): string {
  const { to, done } = USER_ACTIONS[action];
  return `${handle} is ${done}${state === to ? "." : `, and ${state} as before.`}`;
}

type StateRequest = {
  readonly action: UserAction;
  readonly reason?: string | undefined;
  readonly by: Caller;
};

/** A role by hand, or `group`: groups of the identity provider decide again. */
export type RoleChoice = Role | "group";

/** Sets a role, for commands and pages. Rejects an unknown user. */
export async function changeRole(
  people: Pick<People, "find" | "setRole">,
  person: Person,
  { role, by }: { readonly role: RoleChoice; readonly by: Caller },
): Promise<UserChanged> {
  const outcome = await people.setRole(person.id, role, by);
  if (outcome === "last") return lastAdministrator(person);
  const changed = await requirePerson(people, person);
  return { status: "done", person: changed, text: roleText(changed) };
}

/** States who decides about the role of a user now. */
export function roleText({
  handle,
  role,
  roleSource,
}: Pick<Person, "handle" | "role" | "roleSource">): string {
  if (roleSource === "hand") return `${handle} has the role ${role}.`;
  return (
    `Groups of the provider decide about the role of ${handle} again. Until the next ` +
    `sign-in or check it is ${role}.`
  );
}

function lastAdministrator({ handle }: Person): UserChanged {
  const text = `${handle} is the last active administrator. Make another one first.`;
  return { status: "refused", why: "last", text };
}

async function requirePerson(people: Pick<People, "find">, { id }: Person): Promise<Person> {
  const person = await people.find(id);
  if (!person) throw new Error(`There is no user ${id}.`);
  return person;
}
