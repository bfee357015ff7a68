import type { TrustClaims, TrustedPublisher } from "@sealhouse/npm-protocol";
import { TRUST_PERMISSIONS, TRUST_PROVIDERS } from "@sealhouse/npm-protocol";
import { UnexpectedRowError } from "../errors.ts";
import { textList } from "../statements/text-list.ts";
import type { Tables } from "../statements/tables.ts";

export const PUBLISHER_COLUMNS = [
  "id",
  "provider",
  "claims",
  "permissions",
  "created_at",
  "created_by",
] as const;

type PublisherRow = Pick<Tables["trusted_publishers"], (typeof PUBLISHER_COLUMNS)[number]>;

/** The issuer is a claim like the others, and kept among them. */
export function claimsText(issuer: string, claims: TrustClaims): string {
  return JSON.stringify({ iss: issuer, ...claims });
}

export function publisherOf(row: PublisherRow): TrustedPublisher {
  const provider = TRUST_PROVIDERS.find((name) => name === row.provider);
  if (!provider) throw new UnexpectedRowError("provider", row.provider);
  const { iss: issuer, ...claims } = claimsOf(row.claims);
  if (typeof issuer !== "string") throw new UnexpectedRowError("claims", issuer);
  const permissions = textList(row.permissions);
  return {
    id: row.id,
    provider,
    issuer,
    claims,
    permissions: TRUST_PERMISSIONS.filter((permission) => permissions.includes(permission)),
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}

/** Parses the text of `claimsText`. */
function claimsOf(text: string): TrustClaims {
  return JSON.parse(text) as TrustClaims;
}
