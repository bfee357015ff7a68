import type { RegistrySources } from "@sealhouse/console";
import type { Database } from "@sealhouse/database";
import { teamGroupProblem } from "@sealhouse/identity";
import type { Config } from "../settings/config.ts";

type People = Omit<NonNullable<RegistrySources["people"]>, "forms" | "sessionOf">;

/** Composes the data sources of the pages of users, teams and service accounts. */
export function openPeoplePages({
  config,
  database,
}: {
  readonly config: Config;
  readonly database: Database;
}): People {
  const { people, userDetails, sessions, tokens, teams, serviceAccounts, ownership } = database;
  return {
    people,
    userDetails,
    sessions,
    tokens,
    teams,
    serviceAccounts,
    ownerships: ownership.ownerships,
    groupProblem: (text) => teamGroupProblem(text, config.signIn?.provider.name),
  };
}
