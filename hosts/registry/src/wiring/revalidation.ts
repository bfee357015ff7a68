import { openRevalidation } from "@sealhouse/identity";
import type { Revalidation } from "@sealhouse/identity";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { openIdentityProvider } from "./identity-provider.ts";
import type { RegistryResources } from "./registry-resources.ts";

export type RevalidationParts = {
  readonly config: Pick<Config, "signIn" | "host">;
  readonly resources: Pick<RegistryResources, "database" | "keyRing">;
  readonly log: Log;
  readonly now: () => Date;
};

/** Opens the checks of memberships; undefined without an identity provider. */
export function openMembershipChecks(parts: RevalidationParts): Revalidation | undefined {
  const { config, resources, log, now } = parts;
  const { database } = resources;
  const provider = openIdentityProvider({ config, database, now });
  if (!config.signIn || !provider) return undefined;
  return openRevalidation({
    provider,
    checks: database.membershipChecks,
    keyRing: resources.keyRing,
    revalidateMs: config.signIn.revalidateMs,
    now,
    log,
  });
}
