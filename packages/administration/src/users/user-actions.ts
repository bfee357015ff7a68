import {
  addUser,
  changeRole,
  changeState,
  DISPLAY_NAME_MAX,
  lineProblem,
  REASON_MAX,
  ROLES,
  USER_STATES,
} from "@sealhouse/identity";
import type { Person, UserChanged } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { keyAfter, PAGE_FIELDS, pageFrom, pageSchema } from "../paging.ts";
import type { AdministrationParts } from "../parts.ts";
import { conflict, invalidField } from "../refusal.ts";
import { refusedText, requireUser } from "../require-people.ts";
import { USER_ADVICE } from "./user-texts.ts";

const USER = z
  .strictObject({
    id: z.uuid(),
    handle: z.string(),
    displayName: z.string(),
    email: z.string().optional(),
    role: z.enum(ROLES),
    roleSource: z.enum(["group", "hand"]).describe("Who decides about the role."),
    state: z.enum(USER_STATES),
    reason: z.string().optional().describe("Why the state is not active."),
    createdAt: z.iso.datetime(),
    validatedAt: z.iso.datetime().optional().describe("When the provider last confirmed it."),
    lastSignInAt: z.iso.datetime().optional(),
    hasSecondFactor: z.boolean().optional().describe("Whether the last sign-in had one."),
  })
  .meta({ id: "User", title: "A user" });

/** A user as the API and commands show it. */
export type ShownUser = z.output<typeof USER>;

const SCOPE = "people:write";
const FORM = { page: "/administration/users" } as const;
const HANDLE = field(z.string().min(1).max(64), "User", "The handle of the user.");

const add = defineAction({
  id: "users.add",
  summary: "add a user for tokens; people who sign in are added by their first sign-in",
  scope: SCOPE,
  method: "POST",
  path: "/users",
  command: "user add <handle>",
  form: { none: "People are added by their first sign-in; a user for tokens is rare." },
  input: z.strictObject({
    handle: field(
      z.string().max(64),
      "Handle",
      "Lower-case letters, digits and dashes. It never changes.",
    ),
    name: field(
      z.string().max(DISPLAY_NAME_MAX).optional(),
      "Name",
      "The displayed name. Default: the handle.",
      { option: "--name <name>" },
    ),
    email: field(z.string().max(320).optional(), "Mail", "Address for mail; it gives no access.", {
      option: "--email <address>",
    }),
    role: field(
      z.enum(ROLES).default("consumer"),
      "Role",
      "consumer, publisher or administrator.",
      { option: "--role <role>" },
    ),
  }),
  output: USER,
  refusals: ["exists"],
  lasting: "change-users",
  needsAdmin: ({ role }) => role === "administrator",
  async run({ input, parts, caller, now }) {
    const { people } = await parts.rows();
    const outcome = await addUser(people, input, { now, by: caller });
    if (outcome.status === "added") return shownUser(outcome.added);
    throw refusedText(outcome.status, outcome.problems, input);
  },
});

const list = defineAction({
  id: "users.list",
  summary: "list users with role, state and last sign-in",
  scope: SCOPE,
  method: "GET",
  path: "/users",
  command: "user list",
  form: FORM,
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(USER),
  refusals: [],
  async run({ input, parts }) {
    const { people } = await parts.rows();
    const page = await pageFrom<Person>(
      input.limit,
      (last, limit) => people.page({ after: last?.handle ?? keyAfter(input.after), limit }),
      ({ handle }) => handle,
    );
    return { ...page, items: page.items.map(shownUser) };
  },
});

const show = defineAction({
  id: "users.show",
  summary: "show a user",
  scope: SCOPE,
  method: "GET",
  path: "/users/{handle}",
  command: "user show <handle>",
  form: FORM,
  input: z.strictObject({ handle: HANDLE }),
  output: USER,
  refusals: ["absent"],
  volatile: ["validatedAt", "lastSignInAt", "hasSecondFactor"],
  run: async ({ input, parts }) => shownUser(await requireUser(await parts.rows(), input.handle)),
});

const setRole = defineAction({
  id: "users.set-role",
  summary: "set a role by hand: consumer, publisher, administrator; or groups, which decide",
  scope: SCOPE,
  method: "PUT",
  path: "/users/{handle}/role",
  command: "user role <handle> <role>",
  form: FORM,
  input: z.strictObject({
    handle: HANDLE,
    role: field(
      z.enum([...ROLES, "groups"]),
      "Role",
      "consumer, publisher or administrator; groups: those of the provider decide.",
    ),
  }),
  output: USER,
  refusals: ["absent", "conflict"],
  lasting: "change-users",
  changes: "users.show",
  // Groups may make the user an administrator, too.
  needsAdmin: ({ handle, role }, parts) =>
    role === "administrator" || role === "groups" || isAdministrator(handle, parts),
  async run({ input, parts, caller }) {
    const rows = await parts.rows();
    const person = await requireUser(rows, input.handle);
    const role = input.role === "groups" ? "group" : input.role;
    return changed(person, await changeRole(rows.people, person, { role, by: caller }));
  },
});

const setState = defineAction({
  id: "users.set-state",
  summary: "approve, block or unblock a user",
  scope: SCOPE,
  method: "PUT",
  path: "/users/{handle}/state",
  command: [
    {
      words: "user approve <handle>",
      summary: "give a new or suspended user access",
      sets: { action: "approve", reason: undefined },
    },
    {
      words: "user block <handle>",
      summary: "end the sessions of a user at once, and the use of its tokens",
      sets: { action: "block" },
    },
    {
      words: "user unblock <handle>",
      summary: "end a block; a user who waited or left before still does",
      sets: { action: "unblock", reason: undefined },
    },
  ],
  form: FORM,
  input: z.strictObject({
    handle: HANDLE,
    action: field(z.enum(["approve", "block", "unblock"]), "Action", "approve, block or unblock."),
    reason: field(
      z.string().max(REASON_MAX).optional(),
      "Reason",
      "Why a user is blocked, for administrators.",
      { option: "--reason <text>" },
    ),
  }),
  output: USER,
  refusals: ["absent", "conflict"],
  lasting: "change-users",
  changes: "users.show",
  needsAdmin: ({ handle }, parts) => isAdministrator(handle, parts),
  async run({ input: { handle, action, reason }, parts, caller }) {
    const words = reason === undefined ? undefined : lineProblem(reason, REASON_MAX);
    if (words !== undefined) throw invalidField("reason", `${words}.`);
    if (reason !== undefined && action !== "block") {
      throw invalidField("reason", "is for a block only.");
    }
    const rows = await parts.rows();
    const person = await requireUser(rows, handle);
    return changed(person, await changeState(rows.people, person, { action, reason, by: caller }));
  },
});

const forgetPasskeys = defineAction({
  id: "users.forget-passkeys",
  summary: "remove the passkeys of a user who has lost them",
  scope: SCOPE,
  method: "DELETE",
  path: "/users/{handle}/passkeys",
  command: "user forget-passkeys <handle>",
  form: { none: "A person who lost a passkey asks the operators, who know the person." },
  input: z.strictObject({ handle: HANDLE }),
  output: z.strictObject({ handle: z.string(), removed: z.int() }),
  refusals: ["absent"],
  lasting: "change-users",
  changes: "users.show",
  needsAdmin: ({ handle }, parts) => isAdministrator(handle, parts),
  async run({ input, parts, caller }) {
    const rows = await parts.rows();
    const { id: userId, handle } = await requireUser(rows, input.handle);
    const known = await rows.passkeys.list(userId);
    for (const { credentialId } of known) {
      await rows.passkeys.remove({ credentialId, userId }, caller);
    }
    return { handle, removed: known.length };
  },
});

/** Users. */
export const USER_ACTIONS = [add, list, show, setRole, setState, forgetPasskeys];

/** Who may not administer everything changes no administrator. */
async function isAdministrator(handle: string, parts: AdministrationParts): Promise<boolean> {
  return (await (await parts.rows()).people.find(handle))?.role === "administrator";
}

/** @throws RefusedActionError */
function changed({ state }: Person, outcome: UserChanged): ShownUser {
  if (outcome.status === "done") return shownUser(outcome.person);
  const { text, why } = outcome;
  if (why === "state") throw conflict(`${text} ${USER_ADVICE[state]}`);
  throw conflict(`${text} To do so: sealhouse user role <handle> administrator`);
}

function shownUser(person: Person): ShownUser {
  const { epoch: _, createdAt, validatedAt, lastSignInAt, ...shown } = person;
  return {
    ...shown,
    createdAt: createdAt.toISOString(),
    ...(validatedAt && { validatedAt: validatedAt.toISOString() }),
    ...(lastSignInAt && { lastSignInAt: lastSignInAt.toISOString() }),
  };
}
