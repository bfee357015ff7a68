import type { Database } from "@sealhouse/database";
import { openOutgoingFetch } from "@sealhouse/http-server";
import { createSignInProvider } from "@sealhouse/identity";
import type { SignInProvider } from "@sealhouse/identity";
import type { Config } from "../../settings/config.ts";

type ProviderParts = {
  readonly config: Pick<Config, "signIn" | "host">;
  readonly database: Pick<Database, "teams" | "knownOrganization">;
  readonly now: () => Date;
};

/** Opens the configured identity provider, which also reports the groups of teams. */
export function openIdentityProvider({
  config: { signIn, host },
  database,
  now,
}: ProviderParts): SignInProvider | undefined {
  if (!signIn) return undefined;
  const teamGroups = async () => {
    const teams = await database.teams.list();
    return teams.flatMap(({ groupRef }) => (groupRef === undefined ? [] : [groupRef]));
  };
  const { knownOrganization } = database;
  const fetch = openOutgoingFetch(host);
  return createSignInProvider(signIn, { fetch, now, teamGroups, knownOrganization });
}
