import { coversName, createPageAuthorize } from "@sealhouse/identity";
import type { OwnableName, PublishPolicy } from "@sealhouse/identity";
import type { NameManager } from "./name-manager.ts";
import type { NameSources } from "./name-sources.ts";

/** The pipelines of a name that its manager may remove. */
export type NamePipelines = {
  readonly policies: readonly PublishPolicy[];
  /** Whether the caller may remove one. */
  readonly mayRemove: (policy: PublishPolicy) => boolean;
};

/**
 * The pipelines of a name. One that is only for this name belongs to it; any other is changed by
 * administrators.
 */
export async function removablePipelines(
  { policies, rules }: Pick<NameSources, "policies" | "rules">,
  { key, from }: NameManager,
): Promise<NamePipelines> {
  const all = pipelinesOf(await policies.list(), key);
  const isOnlyHere = ({ protocols, patterns }: PublishPolicy) =>
    protocols.length === 1 &&
    patterns.every((pattern) => !pattern.includes("*") && sameName(pattern, key));
  const admin = new Set<string>();
  for (const protocol of new Set(all.flatMap(({ protocols }) => protocols))) {
    const verdict = await createPageAuthorize(rules, protocol)(from.request, from.env, {
      action: "admin",
    });
    if (verdict.status === "granted" && !verdict.names) admin.add(protocol);
  }
  const mayRemove = (policy: PublishPolicy) =>
    isOnlyHere(policy) || policy.protocols.every((protocol) => admin.has(protocol));
  return { policies: all, mayRemove };
}

function sameName(pattern: string, { protocol, name }: NameManager["key"]): boolean {
  return (protocol === "nuget" ? pattern.toLowerCase() : pattern) === name;
}

/** Returns the pipelines that may publish a name. */
function pipelinesOf(
  policies: readonly PublishPolicy[],
  { protocol, name }: OwnableName,
): readonly PublishPolicy[] {
  return policies.filter(
    ({ protocols, patterns }) =>
      protocols.includes(protocol) &&
      patterns.some((pattern) => coversName(pattern, protocol, name)),
  );
}
