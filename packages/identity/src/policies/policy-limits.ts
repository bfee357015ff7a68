import type { PublishPolicy } from "./policy.ts";

/** Maximum number of policies for exactly one name of one protocol. */
export const POLICIES_OF_NAME_MAX = 20;
/** Maximum number of policies that one user or team owns; an exchange reads all of an issuer. */
export const POLICIES_OF_OWNER_MAX = 500;

/**
 * Why an owner may not add a policy to the present ones, or undefined. Operators have no such
 * limit: they add policies on the command line.
 */
export function policyLimitProblem(
  present: readonly PublishPolicy[],
  { protocols, patterns, ownerId }: Pick<PublishPolicy, "protocols" | "patterns" | "ownerId">,
): string | undefined {
  const isSame = (policy: PublishPolicy) =>
    isList(policy.protocols, protocols) && isList(policy.patterns, patterns);
  if (present.filter(isSame).length >= POLICIES_OF_NAME_MAX) {
    return `has ${POLICIES_OF_NAME_MAX} pipelines, the most for one name: remove one first`;
  }
  const isOwned = (policy: PublishPolicy) => ownerId !== undefined && policy.ownerId === ownerId;
  if (present.filter(isOwned).length < POLICIES_OF_OWNER_MAX) return undefined;
  return `has an owner with ${POLICIES_OF_OWNER_MAX} pipelines, the most for one: remove one first`;
}

function isList(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}
