import type { NpmPackage, NpmVersion } from "@sealhouse/npm-protocol";
import type { Judgement } from "../../../policy/judge.ts";
import { removedText } from "../../../policy/policy-texts.ts";
import type { JudgedPackage } from "../policy/npm-policy.ts";

/** Adds the stored versions that the source has removed. */
export function withRemoved(found: NpmPackage, stored: NpmPackage | undefined): NpmPackage {
  return { ...found, versions: [...found.versions, ...removedOf(found, stored)] };
}

/** Denies the stored versions that the source has removed. */
export function withoutRemoved(
  judgement: Judgement,
  found: NpmPackage,
  { source, stored }: Pick<JudgedPackage, "source" | "stored">,
): Judgement {
  const refused = new Map(judgement.refused);
  for (const { version } of removedOf(found, stored)) {
    const text = removedText({ name: found.name, version, source: source?.name });
    refused.set(version, { status: "denied", rule: "OnRemoved", text });
  }
  return { ...judgement, refused };
}

function removedOf(found: NpmPackage, stored: NpmPackage | undefined): readonly NpmVersion[] {
  const listed = new Set(found.versions.map(({ version }) => version));
  return stored?.versions.filter(({ version }) => !listed.has(version)) ?? [];
}
