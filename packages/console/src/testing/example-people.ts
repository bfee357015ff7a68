import { teamGroupProblem } from "@sealhouse/identity";
import type { Sessions, TokenAdministration } from "@sealhouse/identity";
import type { PeoplePorts } from "@sealhouse/identity/testing";
import type { PeopleSources } from "../people/people-sources.ts";

type Parts = {
  readonly registry: PeoplePorts;
  readonly rows: Sessions;
  readonly tokens: TokenAdministration;
};

/** Lookups of the pages of users, over rows in memory. */
export function examplePeople({
  registry,
  rows,
  tokens,
}: Parts): Omit<PeopleSources, "site" | "rules" | "forms" | "confirm"> {
  const { people, userDetails, teams, serviceAccounts } = registry;
  return {
    people,
    userDetails,
    teams,
    serviceAccounts,
    tokens,
    sessions: rows,
    ownerships: { names: async () => [{ protocol: "npm", name: "@acme/app", level: "manage" }] },
    groupProblem: (text) => teamGroupProblem(text, "github"),
  };
}
