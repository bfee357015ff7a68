import { addServiceAccount } from "@sealhouse/identity";
import type { ServiceAccount } from "@sealhouse/identity";
import type { Context, Hono } from "hono";
import { ACCOUNTS } from "../administration/administration-page.ts";
import { afterChange } from "../kit/forms/notices.ts";
import { administratorPage } from "../administration/administrator.ts";
import type { Administrator } from "../administration/administrator.ts";
import { EXPIRED } from "../kit/forms/form-fields.ts";
import type { FieldProblem } from "../kit/forms/form-fields.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";
import { accountPageResponse, accountPath, accountsPageResponse } from "./accounts-page.ts";
import { accountEnding } from "./people-endings.ts";
import { peopleForm } from "./people-form.ts";
import type { PeopleForm } from "./people-form.ts";
import { unknownPage } from "./people-parts.ts";
import type { PeopleSources } from "./people-sources.ts";
import type { TypedTexts } from "./teams-page.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

const newAccount = (c: Context): PeopleForm => ({
  c,
  path: ACCOUNTS,
  page: ACCOUNTS,
  subject: (values) => `add the service account ${wordsIn(values, "name")}`,
});

/** Adds the pages of service accounts. */
export function addAccountPages(app: Hono, sources: PeopleSources): void {
  const { serviceAccounts } = sources;
  app.get(ACCOUNTS, (c) =>
    administratorPage(sources, c, (administrator) => accountsPage(sources, administrator)),
  );
  app.post(ACCOUNTS, (c) =>
    peopleForm(sources, newAccount(c), (administrator, form) =>
      addedAccount(sources, administrator, form),
    ),
  );
  app.get(`${ACCOUNTS}/:name`, (c) =>
    administratorPage(sources, c, async (administrator) => {
      const account = await serviceAccounts.find(c.req.param("name"));
      return account
        ? accountPage(sources, administrator, { account })
        : unknownAccount(administrator);
    }),
  );
  for (const [action, state] of [
    ["block", "blocked"],
    ["unblock", "active"],
  ] as const) {
    app.post(`${ACCOUNTS}/:name/${action}`, (c) => {
      const name = c.req.param("name");
      const subject = () => `${action} the service account ${name}`;
      const ending = async () => {
        const account = action === "block" ? await serviceAccounts.find(name) : undefined;
        return account && accountEnding(sources, account);
      };
      const page = accountPath(name);
      const form = { c, path: accountPath(name, action), page, subject, ending };
      return peopleForm(sources, form, async (administrator, { isExpired }) => {
        const account = await serviceAccounts.find(name);
        if (!account) return unknownAccount(administrator);
        const expired = { account, problems: [EXPIRED] };
        if (isExpired) return accountPage(sources, administrator, expired);
        await serviceAccounts.setState(account.id, state, administrator.caller);
        return afterChange(administrator.address, accountPath(account.name), state);
      });
    });
  }
}

async function accountsPage(
  { serviceAccounts, teams }: PeopleSources,
  administrator: Administrator,
  typed: TypedTexts = {},
): Promise<Response> {
  const [accounts, all] = await Promise.all([serviceAccounts.list(), teams.list()]);
  return accountsPageResponse(administrator, { accounts, teams: all }, typed);
}

async function accountPage(
  { teams, tokens }: PeopleSources,
  administrator: Administrator,
  shown: { readonly account: ServiceAccount; readonly problems?: readonly FieldProblem[] },
): Promise<Response> {
  const { id, name, teamId } = shown.account;
  const [team, named] = await Promise.all([
    teamId === undefined ? undefined : teams.find(teamId),
    tokens.listNamed(name),
  ]);
  const own = named.filter(({ serviceAccountId, revokedAt }) => {
    return serviceAccountId === id && !revokedAt;
  });
  return accountPageResponse(administrator, { ...shown, team, tokens: own });
}

async function addedAccount(
  sources: PeopleSources,
  administrator: Administrator,
  { values, isExpired }: SentForm,
): Promise<Response> {
  const { address, caller } = administrator;
  const refused = (...problems: readonly FieldProblem[]) =>
    accountsPage(sources, administrator, { values, problems });
  if (isExpired) return refused(EXPIRED);
  const name = values.get("name")?.trim() ?? "";
  const handle = values.get("team") ?? "";
  const team = handle === "" ? undefined : await sources.teams.find(handle);
  if (handle !== "" && !team) return refused({ name: "team", words: "has no such choice" });
  const making = { now: sources.rules.now(), by: caller };
  const outcome = await addServiceAccount(sources.serviceAccounts, { name, team }, making);
  if (outcome.status !== "added") return refused(...outcome.problems);
  return afterChange(address, accountPath(name), "added");
}

function unknownAccount(administrator: Administrator): Promise<Response> {
  const title = "Service account not found";
  return unknownPage(administrator, { title, section: ACCOUNTS, all: "List all service accounts" });
}
