import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Database } from "@sealhouse/database";
import { openOutgoingFetch } from "@sealhouse/http-server";
import type { OutgoingConfig } from "@sealhouse/http-server";
import { createIdTokenVerification, createPolicyExchange } from "@sealhouse/identity";
import type { PolicyExchange } from "@sealhouse/identity";
import type { Log } from "../../log.ts";
import type { FeedConfig } from "../../settings/feed.ts";

const NO_AUDIENCE =
  "The registry does not know its public address, so no ID token can name it as the audience. " +
  "Ask its operator to set Feed__PublicBaseUrl.";

type ExchangeParts = {
  readonly pepper: string;
  readonly config: {
    readonly feed: Pick<FeedConfig, "trustedPublishing">;
    readonly host: OutgoingConfig;
  };
  readonly database: Pick<Database, "policies">;
  readonly log: Pick<Log, "warn">;
  readonly now: () => Date;
};

/** Opens the exchange of ID tokens for all protocols. */
export function openPolicyExchange({
  config,
  database,
  pepper,
  log,
  now,
}: ExchangeParts): PolicyExchange {
  const { trustedPublishing } = config.feed;
  const { policyIssuers: issuers, keyFiles, audiences } = trustedPublishing;
  const readKeys = async (issuer: string) => {
    const path = keyFiles.get(issuer);
    return path === undefined ? undefined : readFile(path, "utf8");
  };
  return createPolicyExchange({
    policies: database.policies,
    verify: createIdTokenVerification({
      issuers,
      fetch: openOutgoingFetch(config.host),
      readKeys,
      now,
      onUnreadableKeys(issuer, reason) {
        const setting = trustedPublishing.issuerSettings.get(issuer);
        log.warn({ issuer, setting, reason }, "cannot read the keys of an issuer of ID tokens");
      },
    }),
    issuers,
    audiences,
    noAudienceReason: NO_AUDIENCE,
    pepper,
    random: randomBytes,
    now,
  });
}
