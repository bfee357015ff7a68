import { randomBytes } from "node:crypto";
import type { RegistrySources } from "@sealhouse/console";
import { createOwnTokens, teamGroupProblem } from "@sealhouse/identity";
import type { OwnTokens } from "@sealhouse/identity";
import type { PagesCore } from "./pages-core.ts";

/** Composes the changes of own tokens. */
export function openOwnTokens({ resources, access }: PagesCore): OwnTokens {
  const { tokens } = resources.database;
  const { pepper, rules } = access;
  return createOwnTokens({ tokens, pepper, now: rules.now, random: (size) => randomBytes(size) });
}

type People = Omit<NonNullable<RegistrySources["people"]>, "forms" | "sessionOf">;

/** Composes the data sources of the pages of users, teams and service accounts. */
export function openPeoplePages({ config, resources }: PagesCore): People {
  const { people, userDetails, sessions, tokens, teams, serviceAccounts, ownership } =
    resources.database;
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
