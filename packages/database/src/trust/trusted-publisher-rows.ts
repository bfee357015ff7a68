import type { TrustClaims, TrustedPublisher } from "@sealhouse/npm-protocol";
import { TRUST_PERMISSIONS, TRUST_PROVIDERS } from "@sealhouse/npm-protocol";
import { UnexpectedRowError } from "../errors.ts";
import type { Row } from "../raw/query-port.ts";
import { textListOf, textOf, timeOf } from "../raw/row.ts";

export const PUBLISHER_COLUMNS = "id, provider, claims, permissions, created_at, created_by";

/** The issuer is a claim like the others, and kept among them. */
export function claimsText(issuer: string, claims: TrustClaims): string {
  return JSON.stringify({ iss: issuer, ...claims });
}

export function publisherOf(row: Row): TrustedPublisher {
  const name = textOf(row, "provider");
  const provider = TRUST_PROVIDERS.find((one) => one === name);
  if (!provider) throw new UnexpectedRowError("provider", name);
  const { iss: issuer, ...claims } = claimsOf(textOf(row, "claims"));
  if (typeof issuer !== "string") throw new UnexpectedRowError("claims", issuer);
  const permissions = textListOf(row, "permissions");
  return {
    id: textOf(row, "id"),
    provider,
    issuer,
    claims,
    permissions: TRUST_PERMISSIONS.filter((one) => permissions.includes(one)),
    createdAt: timeOf(row, "created_at"),
    createdBy: textOf(row, "created_by"),
  };
}

/** What `claimsText` has written. */
function claimsOf(text: string): TrustClaims {
  return JSON.parse(text) as TrustClaims;
}
