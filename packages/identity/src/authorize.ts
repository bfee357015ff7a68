import type { Caller, Protocol } from "@sealhouse/request-types";
import { coversName } from "./name-pattern.ts";
import { isWithin } from "./network.ts";
import type { Scope } from "./ports.ts";
import type { Principal } from "./principal.ts";
import { endOf } from "./principal.ts";

/** `stage` is to hand in what somebody else releases, `publish` to hand in versions. */
export type Action = "read" | "stage" | "publish" | "write" | "delete" | "admin";

export type Wanted = {
  readonly protocol: Protocol;
  readonly action: Action;
  /**
   * The package or repository. Absent where a request names none (service index, search, ping) or
   * not yet (a push whose file is still to be read): then name patterns are not asked, and whoever
   * learns the name asks again.
   */
  readonly name?: string | undefined;
  /** Where the request came from. */
  readonly address?: string | undefined;
  readonly now: Date;
  /** Whether everybody may read (`Feed__Authentication__AllowAnonymousPull`). */
  readonly anonymousPull: boolean;
};

export type Decision =
  | {
      readonly status: "granted";
      readonly caller: Caller;
      /** Given where the request names no package: the name patterns that limit what the caller may
       * see. Absent: the caller may see all names. */
      readonly names?: readonly string[];
    }
  /** Nobody is known, and that is not enough: ask for credentials. */
  | { readonly status: "anonymous" }
  /** Somebody is known and will not be let in with this token. `reason` is a sentence. */
  | { readonly status: "denied"; readonly reason: string };

type Granted = Extract<Decision, { readonly status: "granted" }>;

/** The actor of whatever is done without a token. */
export const ANONYMOUS = "anonymous";

const PROTOCOL_NAMES = { nuget: "NuGet", npm: "npm", oci: "container images" } as const;

/**
 * The one rule of access, the same for all protocols. Undefined `principal` means that the request
 * carried no credentials; wrong ones never get here.
 */
export function authorize(principal: Principal | undefined, wanted: Wanted): Decision {
  const isPublic = wanted.anonymousPull && wanted.action === "read";
  if (!principal) {
    return isPublic ? grantedTo({ actor: ANONYMOUS }, wanted) : { status: "anonymous" };
  }
  const reason = isPublic ? undefined : reasonAgainst(principal, wanted);
  if (reason !== undefined) return { status: "denied", reason };
  const granted = grantedTo({ actor: principal.name, tokenId: principal.tokenId }, wanted);
  const isLimited = !isPublic && wanted.name === undefined && principal.patterns.length > 0;
  return isLimited ? { ...granted, names: principal.patterns } : granted;
}

function grantedTo(who: Caller, { address }: Wanted): Granted {
  return { status: "granted", caller: { ...who, ...(address !== undefined && { address }) } };
}

function reasonAgainst(principal: Principal, wanted: Wanted): string | undefined {
  const { protocol, action, name } = wanted;
  const { patterns } = principal;
  const hasScope = scopesFor(wanted).some((scope) => principal.scopes.includes(scope));
  // Publishing alone is for machines; people who may not publish lack what they know as writing.
  const scope = action === "publish" ? "write" : action;
  if (!hasScope) return `This token does not have the scope ${scope}.`;
  const unusable = reasonAgainstUse(principal, wanted);
  if (unusable !== undefined) return unusable;
  if (patterns.length === 0 || name === undefined) return undefined;
  const covered = patterns.some((pattern) => coversName(pattern, protocol, name));
  return covered ? undefined : `This token does not cover the name ${name}.`;
}

/** Why a token is of no use for a protocol from here, whatever it is to do; undefined if it is. */
export function reasonAgainstUse(
  principal: Principal,
  { protocol, address, now }: Pick<Wanted, "protocol" | "address" | "now">,
): string | undefined {
  if (endOf(principal, now)) return "This token has expired.";
  if (principal.protocols.length > 0 && !principal.protocols.includes(protocol)) {
    return `This token is not for ${PROTOCOL_NAMES[protocol]}.`;
  }
  const { networks } = principal;
  if (networks.length > 0 && (address === undefined || !isWithin(networks, address))) {
    return "This token may not be used from this network address.";
  }
  return undefined;
}

/** Any of these will do. Pushing an image means asking what is already there, and so does
 * publishing a version. */
function scopesFor({ protocol, action, name }: Wanted): readonly Scope[] {
  if (protocol === "oci" && action === "read") return ["read", "write", "admin"];
  if (protocol === "npm" && action === "read" && name !== undefined) {
    return ["read", "publish", "admin"];
  }
  if (action === "stage" || action === "publish") return [action, "write", "admin"];
  return action === "admin" ? ["admin"] : [action, "admin"];
}
