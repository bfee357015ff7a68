import { randomBytes } from "node:crypto";
import type { RegistrySources } from "@sealhouse/console";
import type { Database } from "@sealhouse/database";
import { createOwnTokens, teamGroupProblem } from "@sealhouse/identity";
import type { OwnTokens } from "@sealhouse/identity";
import type { Config } from "../settings/config.ts";
import type { AccessRules } from "./access.ts";

/** Composes the changes of own tokens. */
export function openOwnTokens({
  database,
  pepper,
  rules,
}: {
  readonly database: Pick<Database, "tokens">;
  readonly pepper: string;
  readonly rules: Pick<AccessRules, "now">;
}): OwnTokens {
  const { tokens } = database;
  return createOwnTokens({ tokens, pepper, now: rules.now, random: (size) => randomBytes(size) });
}

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
