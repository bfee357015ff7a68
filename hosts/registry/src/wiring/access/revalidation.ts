import { openRevalidation, peopleWarnings } from "@sealhouse/identity";
import type { Revalidation } from "@sealhouse/identity";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import { openIdentityProvider } from "./identity-provider.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";

export type RevalidationParts = {
  readonly config: Pick<Config, "signIn" | "host">;
  readonly resources: Pick<RegistryResources, "database" | "keyRing">;
  readonly log: Log;
  readonly now: () => Date;
};

/** The interval without an identity provider: the default with one. */
const UNCONFIGURED_MS = 24 * 60 * 60_000;

/** Opens the checks of memberships, and warns about users. */
export async function openMembershipChecks(parts: RevalidationParts): Promise<Revalidation> {
  const { config, resources, log, now } = parts;
  const { database } = resources;
  const provider = openIdentityProvider({ config, database, now });
  const people = await database.people.list();
  const hasProvider = provider !== undefined;
  for (const warning of peopleWarnings(people, { hasProvider })) log.warn(warning);
  return openRevalidation({
    provider,
    checks: database.membershipChecks,
    keyRing: resources.keyRing,
    revalidateMs: config.signIn?.revalidateMs ?? UNCONFIGURED_MS,
    now,
    log,
  });
}
