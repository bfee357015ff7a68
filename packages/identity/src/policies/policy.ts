import type { Protocol } from "@sealhouse/request-types";
import type { Scope } from "../ports.ts";

/** Build services with known claims. `oidc`: any issuer with discovery. */
export const POLICY_PROVIDERS = [
  "github",
  "gitlab",
  "azure-devops",
  "circleci",
  "kubernetes",
  "oidc",
] as const;

/** Kind of build service that issues ID tokens. */
export type PolicyProvider = (typeof POLICY_PROVIDERS)[number];

/** `pending`: for a name that does not exist yet. `void`: another user created the name. */
export const POLICY_STATES = ["active", "pending", "void"] as const;

/** State of a policy. */
export type PolicyState = (typeof POLICY_STATES)[number];

/**
 * Required claim of an ID token: a text that must be equal, texts that must all be present, or the
 * file name of a workflow in the repository of the job.
 */
export type PolicyClaim = string | readonly string[] | { readonly file: string };

/** Required claims, by the field names of the provider. */
export type PolicyClaims = Readonly<Record<string, PolicyClaim>>;

/** The jobs of a policy, and the names that they publish. */
export type NewPolicy = {
  readonly provider: PolicyProvider;
  /** The exact `iss`; no other issuer is accepted. */
  readonly issuer: string;
  readonly claims: PolicyClaims;
  /** The user or team that it publishes for; undefined for the operators. */
  readonly ownerId?: string;
  /** The user that made it; undefined for the operators. */
  readonly makerId?: string;
  readonly protocols: readonly Protocol[];
  readonly patterns: readonly string[];
  readonly scopes: readonly Scope[];
  /** Seconds that a token of it is valid. */
  readonly lifeSeconds: number;
  /** Whether its jobs may publish names that do not exist yet. */
  readonly mayCreate: boolean;
  /** Triggers that are accepted in addition to the usual ones, such as `workflow_run`. */
  readonly events: readonly string[];
  /** An audience that the build service fixes. */
  readonly fixedAudience?: string;
};

/** A policy: build jobs that publish with ID tokens instead of a secret. */
export type PublishPolicy = NewPolicy & {
  /** UUID. */
  readonly id: string;
  readonly state: PolicyState;
  /** Ids of the first ID token, by field name; undefined until then. */
  readonly pinned?: Readonly<Record<string, string>>;
  /** Without its first use, the policy ends then. */
  readonly pinEndsAt?: Date;
  /** Handle of the owner. */
  readonly owner?: string;
  /** Whether the user that made it is blocked, suspended or deleted. */
  readonly isMakerGone?: boolean;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly usedAt?: Date;
};

/** Seconds that tokens of a policy are valid: the default, and the limits. */
export const POLICY_LIFE_S = { least: 60, otherwise: 15 * 60, most: 60 * 60 } as const;

/** Days until an unused policy without ids ends. */
export const UNPINNED_DAYS = 30;

/** Returns why a policy gives no token now; undefined while it is in force. */
export function policyEnd(
  policy: Pick<PublishPolicy, "state" | "isMakerGone" | "pinned" | "pinEndsAt">,
  now: Date,
): "void" | "maker" | "unused" | undefined {
  if (policy.state === "void") return "void";
  if (policy.isMakerGone) return "maker";
  const isUnused = policy.pinned === undefined && policy.pinEndsAt !== undefined;
  return isUnused && policy.pinEndsAt <= now ? "unused" : undefined;
}
