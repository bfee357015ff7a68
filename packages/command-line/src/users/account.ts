import { randomUUID } from "node:crypto";
import type { Database } from "@sealhouse/database";
import type { ServiceAccount, ServiceAccountState } from "@sealhouse/identity";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { parseHandle, requireAccount, requireTeam, takenHandle } from "./find-people.ts";
import { openRows } from "../open-feed.ts";

export type AccountAddOptions = Json & { readonly team?: string };

export async function addAccount(
  command: Command,
  name: string,
  { team: handle, json }: AccountAddOptions,
): Promise<number> {
  parseHandle(name);
  await using database = await openRows(command);
  const team = handle === undefined ? undefined : await requireTeam(database, handle);
  const account: ServiceAccount = {
    id: randomUUID(),
    name,
    ...(team && { teamId: team.id }),
    state: "active",
    createdAt: new Date(),
  };
  if ((await database.serviceAccounts.add(account, operator())) === "taken") {
    throw takenHandle(name);
  }
  if (json) command.stdout(JSON.stringify(await shownAccount(database, account), undefined, 2));
  else {
    command.stderr(`Added the service account ${name}.`);
    command.stderr(`To create its token: sealhouse token create --account ${name} --name <name>`);
  }
  return 0;
}

export async function listAccounts(command: Command, { json }: Json): Promise<number> {
  await using database = await openRows(command);
  const accounts = await database.serviceAccounts.list();
  const shown = await Promise.all(accounts.map((account) => shownAccount(database, account)));
  if (json) {
    command.stdout(JSON.stringify(shown, undefined, 2));
    return 0;
  }
  if (shown.length === 0) command.stderr("There are no service accounts: sealhouse account add");
  for (const { name, state, team } of shown) {
    command.stdout([name, state, team === undefined ? "no team" : `team ${team}`].join("  "));
  }
  return 0;
}

export async function setAccountState(
  command: Command,
  name: string,
  { state, json }: Json & { readonly state: ServiceAccountState },
): Promise<number> {
  await using database = await openRows(command);
  const account = await requireAccount(database, name);
  await database.serviceAccounts.setState(account.id, state, operator());
  const changed = await requireAccount(database, account.id);
  if (json) command.stdout(JSON.stringify(await shownAccount(database, changed), undefined, 2));
  else command.stderr(`The service account ${account.name} is ${state}.`);
  return 0;
}

/** The team by its handle. */
async function shownAccount({ teams }: Database, account: ServiceAccount) {
  const { teamId, createdAt, ...rest } = account;
  const team = teamId === undefined ? undefined : await teams.find(teamId);
  return { ...rest, team: team?.handle, createdAt: createdAt.toISOString() };
}
