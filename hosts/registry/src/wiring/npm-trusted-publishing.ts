import { createHash, randomBytes } from "node:crypto";
import { createIdTokenVerification, createToken } from "@sealhouse/identity";
import type { Scope } from "@sealhouse/identity";
import type { NpmTrust, TrustPermission } from "@sealhouse/npm-protocol";
import { actorOf } from "@sealhouse/npm-protocol";
import type { Database } from "@sealhouse/database";
import type { AccessRules } from "./access.ts";
import { createOutgoingFetch } from "../http/outgoing-fetch.ts";
import type { TrustedPublishingConfig } from "../settings/trusted-publishing.ts";
import { plainAudience } from "../settings/trusted-publishing.ts";
import type { Parts } from "./parts.ts";

export type TrustParts = Pick<Parts, "pepper"> & {
  readonly config: {
    readonly feed: { readonly npm: { readonly trustedPublishing: TrustedPublishingConfig } };
    readonly host: { readonly allowPrivateAddresses: boolean };
  };
  readonly database: { readonly npm: Pick<Database["npm"], "trustedPublishers"> };
  readonly rules: Pick<AccessRules, "contexts" | "now">;
};

/** A publish follows at once. */
const LIFETIME_MS = 15 * 60_000;

const SCOPES: Readonly<Record<TrustPermission, Scope>> = {
  createPackage: "publish",
  createStagedPackage: "stage",
};

/** Publishing without a secret. Issuers are asked for their keys when the first ID token comes. */
export function npmTrust(parts: TrustParts): NpmTrust {
  const { config, database, rules } = parts;
  const { issuers, audiences } = config.feed.npm.trustedPublishing;
  const { allowPrivateAddresses: allowPrivate } = config.host;
  const verify = createIdTokenVerification({
    issuers: Object.values(issuers),
    fetch: createOutgoingFetch({ allowPrivate }),
    now: rules.now,
  });
  return {
    publishers: database.npm.trustedPublishers,
    issuers,
    async verify(request, env) {
      if (audiences.size === 0) return { status: "refused", reason: ADDRESS_UNKNOWN };
      const [, text] = /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
      if (text === undefined) return { status: "refused", reason: NO_ID_TOKEN };
      const verdict = await verify(text, (audience) => audiences.has(plainAudience(audience)));
      if (verdict.status === "refused") return verdict;
      const { id: requestId, address } = rules.contexts.of(request, env);
      const from = { requestId, ...(address !== undefined && { address }) };
      return { status: "valid", token: verdict.token, from };
    },
    issue: (wanted) => issue(parts, wanted),
  };
}

const ADDRESS_UNKNOWN =
  "No ID token can be meant for this registry while it is not configured where it stands: its " +
  "operator has to set Feed__PublicBaseUrl.";
const NO_ID_TOKEN = "The request carries no ID token: it goes into Authorization, after Bearer.";

type Wanted = Parameters<NpmTrust["issue"]>[0];

async function issue(
  { database, pepper, rules }: TrustParts,
  { name, publisher, idToken, from }: Wanted,
): ReturnType<NpmTrust["issue"]> {
  const createdAt = rules.now();
  const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS);
  const wanted = {
    name: `publish ${name}`.slice(0, 100),
    scopes: publisher.permissions.map((one) => SCOPES[one]),
    protocols: ["npm"],
    patterns: [name],
    expiresAt,
  } as const;
  const making = { pepper, now: createdAt, random: randomBytes };
  const { token, record } = createToken(wanted, making);
  const status = await database.npm.trustedPublishers.issue(
    { name, publisherId: publisher.id, idToken },
    { ...record, id: tokenIdOf(name, idToken.fingerprint) },
    { actor: actorOf(publisher), ...from },
  );
  return status === "issued" ? { status, token, createdAt, expiresAt } : { status };
}

/** The same for the same ID token and package, so that there is one token for them at most. UUID of
 * version 8, RFC 9562. */
function tokenIdOf(name: string, fingerprint: string): string {
  const bytes = createHash("sha256")
    .update(JSON.stringify(["npm", name, fingerprint]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [8, 12, 16, 20, 32].map((end, at) => hex.slice([0, 8, 12, 16, 20][at], end)).join("-");
}
