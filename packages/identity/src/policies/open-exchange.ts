import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createIdTokenVerification } from "../id-tokens/verify-id-token.ts";
import { createPolicyExchange } from "./exchange.ts";
import type { ExchangeOptions, PolicyExchange } from "./exchange.ts";

const NO_AUDIENCE =
  "The registry does not know its public address, so no ID token can name it as the audience. " +
  "Ask its operator to set Feed__PublicBaseUrl.";

/** Opens the exchange of ID tokens for all protocols, as the settings say. */
export function openPolicyExchange({
  trust,
  fetch,
  log,
  ...parts
}: Pick<ExchangeOptions, "policies" | "pepper" | "now"> & {
  readonly trust: {
    readonly policyIssuers: readonly string[];
    /** Files with the keys of issuers, by the issuer. */
    readonly keyFiles: ReadonlyMap<string, string>;
    /** Settings that name issuers, for the log; by the issuer. */
    readonly issuerSettings: ReadonlyMap<string, string>;
    readonly audiences: ExchangeOptions["audiences"];
  };
  /** Reads keys of issuers without a file. */
  readonly fetch: typeof globalThis.fetch;
  readonly log: { readonly warn: (fields: object, message: string) => void };
}): PolicyExchange {
  const { policyIssuers: issuers, keyFiles, issuerSettings, audiences } = trust;
  const readKeys = async (issuer: string) => {
    const path = keyFiles.get(issuer);
    return path === undefined ? undefined : readFile(path, "utf8");
  };
  return createPolicyExchange({
    ...parts,
    verify: createIdTokenVerification({
      issuers,
      fetch,
      readKeys,
      now: parts.now,
      onUnreadableKeys(issuer, reason) {
        const setting = issuerSettings.get(issuer);
        log.warn({ issuer, setting, reason }, "cannot read the keys of an issuer of ID tokens");
      },
    }),
    issuers,
    audiences,
    noAudienceReason: NO_AUDIENCE,
    random: randomBytes,
  });
}
