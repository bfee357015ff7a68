import { addServiceAccount, SERVICE_ACCOUNT_STATES } from "@sealhouse/identity";
import type { ServiceAccount, Team } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import type { AdministrationRows } from "../parts.ts";
import { refusedText, requireAccount, requireTeam } from "../require-people.ts";

const ACCOUNT = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    state: z.enum(SERVICE_ACCOUNT_STATES),
    team: z.string().optional().describe("The team through which it owns names."),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "ServiceAccount", title: "A caller such as a build server" });

/** A service account as the API and commands show it. */
export type ShownAccount = z.output<typeof ACCOUNT>;

const SCOPE = "people:write";
const FORM = { page: "/administration/accounts" } as const;
const NAME = field(z.string().min(1).max(64), "Service account", "The name of the account.");

const add = defineAction({
  id: "accounts.add",
  summary: "add a service account",
  scope: SCOPE,
  method: "POST",
  path: "/accounts",
  command: "account add <name>",
  form: FORM,
  input: z.strictObject({
    name: field(
      z.string().max(64),
      "Name",
      "Lower-case letters, digits and dashes. It never changes.",
    ),
    team: field(z.string().max(64).optional(), "Team", "The team through which it owns names.", {
      option: "--team <handle>",
    }),
  }),
  output: ACCOUNT,
  refusals: ["absent", "exists"],
  lasting: "change-users",
  async run({ input: { name, team: handle }, parts, caller, now }) {
    const rows = await parts.rows();
    const team = handle === undefined ? undefined : await requireTeam(rows, handle);
    const making = { now, by: caller };
    const outcome = await addServiceAccount(rows.serviceAccounts, { name, team }, making);
    if (outcome.status === "added") return shownAccount(outcome.added, team && [team]);
    throw refusedText(outcome.status, outcome.problems, { name });
  },
});

const list = defineAction({
  id: "accounts.list",
  summary: "list service accounts with state and team",
  scope: SCOPE,
  method: "GET",
  path: "/accounts",
  command: "account list",
  form: FORM,
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(ACCOUNT),
  refusals: [],
  async run({ input, parts }) {
    const { serviceAccounts, teams } = await parts.rows();
    const [all, known] = [await serviceAccounts.list(), await teams.list()];
    const shown = all.map((account) => shownAccount(account, known));
    return pageOf(shown, input, ({ name }) => name);
  },
});

const show = defineAction({
  id: "accounts.show",
  summary: "show a service account",
  scope: SCOPE,
  method: "GET",
  path: "/accounts/{name}",
  command: "account show <name>",
  form: FORM,
  input: z.strictObject({ name: NAME }),
  output: ACCOUNT,
  refusals: ["absent"],
  run: async ({ input, parts }) => accountOf(await parts.rows(), input.name),
});

const setState = defineAction({
  id: "accounts.set-state",
  summary: "block or unblock a service account",
  scope: SCOPE,
  method: "PUT",
  path: "/accounts/{name}/state",
  command: [
    {
      words: "account block <name>",
      summary: "end the use of its tokens at once",
      sets: { state: "blocked" },
    },
    {
      words: "account unblock <name>",
      summary: "use its tokens again",
      sets: { state: "active" },
    },
  ],
  form: FORM,
  input: z.strictObject({
    name: NAME,
    state: field(z.enum(SERVICE_ACCOUNT_STATES), "State", "active or blocked."),
  }),
  output: ACCOUNT,
  refusals: ["absent"],
  lasting: "change-users",
  changes: "accounts.show",
  async run({ input: { name, state }, parts, caller }) {
    const rows = await parts.rows();
    const { id } = await requireAccount(rows, name);
    await rows.serviceAccounts.setState(id, state, caller);
    return accountOf(rows, id);
  },
});

/** Service accounts. */
export const ACCOUNT_ACTIONS = [add, list, show, setState];

async function accountOf(rows: AdministrationRows, name: string): Promise<ShownAccount> {
  const account = await requireAccount(rows, name);
  const team = account.teamId === undefined ? undefined : await rows.teams.find(account.teamId);
  return shownAccount(account, team && [team]);
}

function shownAccount(
  { teamId, createdAt, ...account }: ServiceAccount,
  teams: readonly Team[] = [],
): ShownAccount {
  const team = teams.find(({ id }) => id === teamId)?.handle;
  return {
    ...account,
    ...(team !== undefined && { team }),
    createdAt: createdAt.toISOString(),
  };
}
