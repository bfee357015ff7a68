import { randomBytes } from "node:crypto";
import { imageIdTokens } from "@sealhouse/feed";
import type { RequestContexts } from "@sealhouse/http-server";
import {
  createBearerTokens,
  createNameViews,
  createRefreshTokens,
  openAuthenticator,
} from "@sealhouse/identity";
import type {
  AccessRules as IdentityRules,
  Authenticator,
  PolicyExchange,
  Revalidation,
} from "@sealhouse/identity";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";
import { openNameRules } from "./name-rules.ts";

/** Everything that access depends on, with the host's request contexts. */
export type AccessRules = Omit<IdentityRules, "contexts"> & { readonly contexts: RequestContexts };

export type AccessParts = {
  readonly config: Config;
  readonly resources: Pick<RegistryResources, "database" | "keyRing">;
  readonly contexts: RequestContexts;
  readonly log: Log;
  readonly now: () => Date;
};

type Used = {
  /** Key of the token hashes. */
  readonly pepper: string;
  readonly exchange: PolicyExchange;
  readonly revalidation: Pick<Revalidation, "noteUse">;
};

/** Opens the access rules of all protocols. */
export function openAccessRules(
  { config, resources, contexts, log, now }: AccessParts,
  { pepper, exchange, revalidation }: Used,
): AccessRules & { readonly authenticator: Authenticator } {
  const { database } = resources;
  const { tokens } = database;
  return {
    authenticator: openAuthenticator({
      tokens,
      use: tokens,
      pepper,
      now,
      // One process has the whole count in memory.
      ...(config.database.type !== "Sqlite" && { failures: database.signInFailures }),
      onError: (error) =>
        log.warn({ err: error }, "could not write last uses of tokens; will retry"),
      onUserSeen: revalidation.noteUse,
    }),
    bearerTokens: createBearerTokens({
      tokens,
      pepper,
      issuer: config.host.keyRing.applicationName,
      service: config.feed.name,
      now,
      random: randomBytes,
      lifetimeSeconds: Math.floor(config.feed.oci.tokenLifetimeMs / 1_000),
    }),
    refreshTokens: createRefreshTokens({
      store: database.refreshTokens,
      tokens,
      now,
      random: randomBytes,
    }),
    idTokens: imageIdTokens(exchange, tokens),
    views: createNameViews(database.visibilities),
    contexts,
    anonymousPull: config.feed.anonymousPull,
    now,
    names: openNameRules({ config, database, log, now }),
    mfaPatterns: config.signIn?.mfaPatterns,
  };
}
