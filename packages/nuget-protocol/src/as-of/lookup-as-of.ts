import { absentThen, lostSince } from "@sealhouse/http-responses";
import { NuGetError } from "../errors.ts";
import type { PackageLookup } from "../ports.ts";
import { ascendingVersions } from "../notation/package-version.ts";
import type { KeptPackage, PackagePast, PastVersion } from "./ports.ts";
import {
  ruleOfKept,
  ruleOfPast,
  visibleRecords,
  visibleSummaries,
  withLostVersions,
} from "./visible-versions.ts";

/**
 * Creates a lookup that answers as of a time. It throws for packages and versions that did not
 * exist then or are gone: the client must learn the reason.
 */
export function lookupAsOf(lookup: PackageLookup, past: PackagePast, time: Date): PackageLookup {
  const pastOf = async (id: string): Promise<PastPackages> => {
    const versions = await past.versions(id, time);
    if (versions.length === 0) throw absent(id, time);
    const isWhole = versions.every(({ isKept }) => isKept);
    return { versions, kept: isWhole ? [] : await past.kept(id, time) };
  };
  const requireKept = async (id: string, version: string): Promise<KeptPackage | undefined> => {
    const found = await past.version(id, version, time);
    if (!found) throw absent(`${id} ${version}`, time);
    if (found.isKept) return undefined;
    const [kept] = await past.kept(id, time, version);
    if (!kept) throw lost(`${id} ${version}`, time, found.until);
    return kept;
  };
  return {
    async summaries(id) {
      const { versions, kept } = await pastOf(id);
      const current = visibleSummaries(await lookup.summaries(id), ruleOfPast(versions));
      const again = visibleRecords(
        kept.map(({ record }) => record),
        ruleOfKept(versions),
      );
      const shown = again.length > 0 ? ascendingVersions([...current, ...again]) : current;
      return withLostVersions(shown, versions, id);
    },
    async versions(id, only) {
      const [single] = only ?? [];
      if (only?.length === 1 && single !== undefined) await requireKept(id, single);
      const { versions, kept } = await pastOf(id);
      const current = visibleRecords(await lookup.versions(id, only), ruleOfPast(versions));
      const again = kept
        .map(({ record }) => record)
        .filter(({ version }) => only?.includes(version.toLowerCase()) ?? true);
      if (again.length === 0) return current;
      return ascendingVersions([...current, ...visibleRecords(again, ruleOfKept(versions))]);
    },
    async find(id, version) {
      const kept = await requireKept(id, version);
      return kept ? kept.stored : lookup.find(id, version);
    },
  };
}

type PastPackages = {
  readonly versions: readonly PastVersion[];
  readonly kept: readonly KeptPackage[];
};

function absent(what: string, time: Date): NuGetError {
  return new NuGetError("not-found", { problems: [absentThen(what, time)] });
}

function lost(what: string, time: Date, until: Date | undefined): NuGetError {
  return new NuGetError("not-found", { problems: [lostSince(what, { time, until })] });
}
