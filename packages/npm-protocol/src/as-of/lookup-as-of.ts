import { absentThen, lostSince } from "@sealhouse/http-responses";
import { NpmError } from "../errors.ts";
import type { NpmLookup, NpmPackage } from "../ports.ts";
import type { KeptNpmVersion, NpmPast, PastPackage } from "./ports.ts";
import { packageAsOf } from "./visible-package.ts";

/**
 * Creates a lookup that answers as of a time. It throws for packages and versions that did not
 * exist then or are gone: the client must learn the reason.
 */
export function lookupAsOf(lookup: NpmLookup, past: NpmPast, time: Date): NpmLookup {
  const withKept = async (
    found: NpmPackage | undefined,
    { name, facts }: { readonly name: string; readonly facts: PastPackage },
  ): Promise<NpmPackage | undefined> =>
    lacksVersions(found, facts) ? restored(found, name, await past.kept(name, time)) : found;
  return {
    async find(name) {
      const then = await past.find(name, time);
      if (!then) throw new NpmError("not-found", absentThen(name, time));
      const found = await withKept(await lookup.find(name), { name, facts: then });
      const shown = found && packageAsOf(found, then);
      if (!shown) throw new NpmError("not-found", lostSince(name, { time }));
      return shown;
    },
    has: async (name) => (await past.find(name, time)) !== undefined,
    async tarball(name, version) {
      const then = await past.version(name, version, time);
      if (!then) throw new NpmError("not-found", absentThen(`${name} ${version}`, time));
      const tarball = await lookup.tarball(name, version);
      if (tarball?.integrity === then.integrity) return tarball;
      const [kept] = await past.kept(name, time, version);
      if (kept) return kept.tarball;
      const { until } = then;
      throw new NpmError("not-found", lostSince(`${name} ${version}`, { time, until }));
    },
  };
}

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
