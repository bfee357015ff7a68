import { absentThen, lostSince } from "@sealhouse/http-responses";
import { NuGetError } from "../errors.ts";
import type { PackageLookup } from "../ports.ts";
import type { PackagePast, PastVersion } from "./ports.ts";
import {
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
  const pastOf = async (id: string): Promise<readonly PastVersion[]> => {
    const versions = await past.versions(id, time);
    if (versions.length === 0) throw absent(id, time);
    return versions;
  };
  const requireKept = async (id: string, version: string): Promise<void> => {
    const found = await past.version(id, version, time);
    if (!found) throw absent(`${id} ${version}`, time);
    if (!found.isKept) throw lost(`${id} ${version}`, time, found.until);
  };
  return {
    async summaries(id) {
      const versions = await pastOf(id);
      const kept = visibleSummaries(await lookup.summaries(id), ruleOfPast(versions));
      return withLostVersions(kept, versions, id);
    },
    async versions(id, only) {
      const [single] = only ?? [];
      if (only?.length === 1 && single !== undefined) await requireKept(id, single);
      const rule = ruleOfPast(await pastOf(id));
      return visibleRecords(await lookup.versions(id, only), rule);
    },
    async find(id, version) {
      await requireKept(id, version);
      return lookup.find(id, version);
    },
  };
}

function absent(what: string, time: Date): NuGetError {
  return new NuGetError("not-found", { problems: [absentThen(what, time)] });
}

function lost(what: string, time: Date, until: Date | undefined): NuGetError {
  return new NuGetError("not-found", { problems: [lostSince(what, { time, until })] });
}
