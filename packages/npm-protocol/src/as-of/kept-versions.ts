import type { NpmPackage } from "../ports.ts";
import type { KeptNpmVersion, PastPackage } from "./ports.ts";

/** Whether the package lacks a version of a time, or has another one under its number. */
export function lacksVersions(
  found: NpmPackage | undefined,
  { versions }: Pick<PastPackage, "versions">,
): boolean {
  const integrities = new Map(
    found?.versions.map(({ version, integrity }) => [version, integrity]),
  );
  return [...versions].some(([version, then]) => integrities.get(version) !== then.integrity);
}

/** Returns the package with unpublished versions in their place; undefined when there are none. */
export function restored(
  found: NpmPackage | undefined,
  name: string,
  kept: readonly KeptNpmVersion[],
): NpmPackage | undefined {
  if (kept.length === 0) return found;
  const again = new Set(kept.map(({ version }) => version.version));
  const versions = [
    ...(found?.versions.filter(({ version }) => !again.has(version)) ?? []),
    ...kept.map(({ version }) => version),
  ].toSorted((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
  const createdAt = versions[0]?.publishedAt ?? new Date(0);
  const whole = found ?? { name, revision: 0, createdAt, modifiedAt: createdAt, distTags: {} };
  return { ...whole, versions };
}
