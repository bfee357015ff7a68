import { openOutgoingFetch } from "@sealhouse/http-server";
import { createSignInProvider, openRevalidation } from "@sealhouse/identity";
import type { Revalidation } from "@sealhouse/identity";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
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
  const { signIn, host } = config;
  if (!signIn) return undefined;
  return openRevalidation({
    provider: createSignInProvider(signIn, { fetch: openOutgoingFetch(host), now }),
    checks: resources.database.membershipChecks,
    keyRing: resources.keyRing,
    revalidateMs: signIn.revalidateMs,
    now,
    log,
  });
}
