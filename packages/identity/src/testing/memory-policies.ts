import type { Protocol } from "@sealhouse/request-types";
import { judgeToken } from "../policies/judge-token.ts";
import { policyEnd } from "../policies/policy.ts";
import type { PublishPolicy } from "../policies/policy.ts";
import type { Policies, PolicyUseOutcome } from "../policies/ports.ts";
import { pinsOf } from "../policies/provider-claims.ts";
import type { TokenRecord } from "../ports.ts";
import { endOf } from "../principal.ts";

/** Options of `createMemoryPolicies`. */
export type MemoryPolicies = {
  /** Tokens by id; `use` adds to them. */
  readonly tokens?: Map<string, TokenRecord>;
  readonly isName?: (protocol: Protocol, name: string) => boolean;
  readonly now?: () => Date;
  /** Ids of owners by handle. */
  readonly owners?: Readonly<Record<string, string>>;
};

/** Policies in memory, under the same contract as the databases. */
export function createMemoryPolicies(options: MemoryPolicies = {}): Policies {
  const { tokens = new Map(), isName = () => false, now = () => new Date() } = options;
  const policies = new Map<string, PublishPolicy>();
  const surfaces = new Map<string, string>();
  const isAnyName = ({ protocols, patterns }: PublishPolicy) =>
    protocols.some((protocol) => patterns.some((name) => isName(protocol, name)));
  const inOrder = () =>
    [...policies.values()].toSorted(
      (one, two) => one.createdAt.getTime() - two.createdAt.getTime(),
    );

  const obstacle = (
    policy: PublishPolicy,
    use: Parameters<Policies["use"]>[0],
  ): PolicyUseOutcome | undefined => {
    if (policy.state === "pending" && isAnyName(policy)) {
      policies.set(policy.id, { ...policy, state: "void" });
      return "taken";
    }
    if (policy.mayCreate || use.subject === "" || isName(use.surface, use.subject))
      return undefined;
    return "absent-name";
  };

  return {
    list: async () => inOrder(),
    matching: async (issuer, protocol) =>
      inOrder().filter((one) => one.issuer === issuer && one.protocols.includes(protocol)),
    ownerNamed: async (handle) => options.owners?.[handle],
    async add(policy, { actor: createdBy }) {
      if (policies.has(policy.id)) return "present";
      const isActive = policy.state === "pending" && isAnyName(policy);
      policies.set(policy.id, { ...policy, createdBy, ...(isActive && { state: "active" }) });
      return "added";
    },
    async remove(id) {
      for (const token of tokens.values()) {
        if (token.policyId === id && endOf(token, now()) === undefined)
          tokens.set(token.id, { ...token, revokedAt: now() });
      }
      return policies.delete(id) ? "removed" : "absent";
    },
    async use(use, token) {
      const policy = policies.get(use.policyId);
      if (!policy || !judgeToken(policy, use.idToken).fits) return "distrusted";
      if (policyEnd(policy, now())) return "distrusted";
      const { fingerprint } = use.idToken;
      if ((surfaces.get(fingerprint) ?? use.surface) !== use.surface) return "elsewhere";
      const former = tokens.get(token.id);
      if (former?.revokedAt) return "revoked";
      const isValid = former && endOf(former, now()) === undefined;
      if (use.keepsValid && isValid && former.policyId === policy.id) return "same";
      const outcome = obstacle(policy, use);
      if (outcome) return outcome;
      const pinned = policy.pinned ?? pinsOf(policy, use.idToken);
      policies.set(policy.id, { ...policy, state: "active", pinned, usedAt: now() });
      surfaces.set(fingerprint, use.surface);
      tokens.set(token.id, { ...token, policyId: policy.id });
      return former ? "replaced" : "issued";
    },
  };
}
