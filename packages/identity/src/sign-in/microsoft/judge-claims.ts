import type { MicrosoftConfig } from "../provider-config.ts";
import type { RefusedPerson } from "../provider.ts";
import { refuse } from "../refusal.ts";

/** Claims of an ID token whose signature, audience and times are verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** A member of the directory, before the groups are known. */
export type DirectoryMember = {
  readonly status: "member";
  /** Directory and object id. */
  readonly subject: string;
  readonly shown: string;
  readonly displayName: string;
  readonly email?: string;
};

/** The issuer of version 2 of the configured directory. */
export function issuerOf({ instance, tenantId }: MicrosoftConfig): string {
  return `${instance}/${tenantId}/v2.0`;
}

/**
 * Decides whether the claims belong to a member of the configured directory. Names and addresses
 * never decide, because people can change them; verified domains only narrow.
 */
export function judgeClaims(
  claims: Claims,
  config: MicrosoftConfig,
): DirectoryMember | RefusedPerson {
  const shown = shownName(claims);
  const member = memberOf(claims, config, shown);
  if (member.status === "refused") return member;
  const isGuest = guestOf(claims, config);
  if (isGuest && !config.allowsGuests) {
    return refuse(
      "guest",
      "Your account is a guest of the directory, and this registry is for its members. Sign in " +
        "with an account of the organization, or ask the operator to allow guests.",
      shown,
    );
  }
  return refuseDomain(claims, config, { isGuest, shown }) ?? member;
}

function memberOf(
  claims: Claims,
  config: MicrosoftConfig,
  shown: string,
): DirectoryMember | RefusedPerson {
  const tenant = textOf(claims, "tid")?.toLowerCase();
  if (tenant !== config.tenantId || claims["iss"] !== issuerOf(config)) {
    return refuse(
      "directory-wrong",
      "Your account belongs to another directory than this registry. Sign in with an account of " +
        "the organization.",
      shown,
    );
  }
  const objectId = textOf(claims, "oid");
  if (objectId === undefined) {
    return refuse(
      "object-id-missing",
      "The ID token has no claim oid. Ask the operator to allow the scope profile in the " +
        "registration.",
      shown,
    );
  }
  const email = textOf(claims, "email");
  return {
    status: "member",
    subject: `${tenant}/${objectId.toLowerCase()}`,
    shown,
    displayName: textOf(claims, "name") ?? shown,
    ...(email !== undefined && { email }),
  };
}

/** A guest's token has the directory's `tid`, and its own directory in `idp`. */
function guestOf(claims: Claims, config: MicrosoftConfig): boolean {
  if (claims["acct"] === 1 || claims["acct"] === "1") return true;
  const home = textOf(claims, "idp");
  const own = [issuerOf(config), `https://sts.windows.net/${config.tenantId}/`];
  return home !== undefined && !own.includes(home);
}

function refuseDomain(
  claims: Claims,
  { allowedEmailDomains }: MicrosoftConfig,
  { isGuest, shown }: { readonly isGuest: boolean; readonly shown: string },
): RefusedPerson | undefined {
  if (allowedEmailDomains.length === 0) return undefined;
  // The `upn` of a guest ends with a domain of this directory.
  const address = (isGuest ? undefined : textOf(claims, "upn")) ?? verifiedEmail(claims);
  if (address === undefined) {
    return refuse(
      "email-domain-unknown",
      "The ID token has no verified address. Ask the operator to add the optional claim upn, or " +
        "email together with xms_edov, to the registration.",
      shown,
    );
  }
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  if (address.includes("@") && allowedEmailDomains.includes(domain)) return undefined;
  return refuse(
    "email-domain-wrong",
    `Addresses of ${domain} may not use this registry. Sign in with an address of ` +
      `${allowedEmailDomains.join(" or ")}, or ask the operator to allow the domain.`,
    shown,
  );
}

/** Any text may be in `email`; `xms_edov` confirms that its domain belongs to the owner. */
function verifiedEmail(claims: Claims): string | undefined {
  const isVerified = [true, 1, "1", "true"].some((value) => claims["xms_edov"] === value);
  return isVerified ? textOf(claims, "email") : undefined;
}

function shownName(claims: Claims): string {
  const names = ["preferred_username", "upn", "email", "name", "oid"];
  return names.map((name) => textOf(claims, name)).find((text) => text !== undefined) ?? "unknown";
}

function textOf(claims: Claims, name: string): string | undefined {
  const value = claims[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
