import { ascendingVersions } from "@sealhouse/nuget-protocol";
import type { PackageLookup, VersionSummary } from "@sealhouse/nuget-protocol";
import type { FoundAtSource, Mirror } from "../mirror.ts";
import type { IdStates } from "./policy/id-states.ts";
import type { FromSource, PackageDocuments } from "./documents/package-documents.ts";
import type { RefusedFiles } from "./files/refused-files.ts";

/**
 * The versions of this feed, and of sources for the ids that come from them. `find` reads stored
 * versions only: a restore of a stored package asks no source, unless one denies removed versions
 * or a rule denies versions. Versions that the rules refuse are left out.
 */
export function mirroredLookup(
  lookup: PackageLookup,
  {
    documents,
    states,
    refusedFiles,
    deniesRemoved,
    isForEveryone,
  }: {
    readonly documents: Pick<PackageDocuments, "versions" | "records">;
    readonly states: Pick<IdStates, "allowed" | "requireNotDenied">;
    readonly refusedFiles: Pick<RefusedFiles, "of">;
    /** Whether any source denies versions that it has removed. */
    readonly deniesRemoved: () => Promise<boolean>;
    /** Whether the sources of the running request have been asked. */
    readonly isForEveryone: Mirror["isForEveryone"];
  },
): PackageLookup {
  /** Leaves out versions whose files are refused. */
  const readable = async <R extends { readonly version: string }>(
    id: string,
    found: FromSource<unknown>,
    all: readonly R[],
  ): Promise<readonly R[]> => {
    if (found.status !== "found") return all;
    const refused = await refusedFiles.of(found.source, id);
    if (refused.size === 0) return all;
    return all.filter(({ version }) => !refused.has(version.toLowerCase()));
  };
  return {
    async summaries(id, options) {
      const document = options?.onlyNumbers === true ? "versions" : "registration";
      const found: FromSource<readonly VersionSummary[]> =
        document === "versions" ? await documents.versions(id) : await documents.records(id);
      const all = await readable(
        id,
        found,
        await merged(found, () => lookup.summaries(id, options)),
      );
      return states.allowed({ id, document, at: placeOf(found) }, all);
    },
    async versions(id, only) {
      const found = await documents.records(id);
      const all = await readable(id, found, await merged(found, () => lookup.versions(id, only)));
      const wanted = only && new Set(only);
      return states.allowed(
        { id, document: "registration", at: placeOf(found) },
        wanted ? all.filter(({ version }) => wanted.has(version.toLowerCase())) : all,
      );
    },
    async find(id, version) {
      const stored = await lookup.find(id, version);
      if (stored) await states.requireNotDenied(id, version);
      if ((stored?.origin ?? "Published") === "Published" || !(await deniesRemoved()))
        return stored;
      const found = await documents.versions(id);
      return isDenied(found, version) || !isForEveryone() ? undefined : stored;
    },
  };
}

function placeOf(found: FromSource<unknown>): FoundAtSource | undefined {
  return found.status === "found" ? found : undefined;
}

function isDenied(found: FromSource<readonly VersionSummary[]>, version: string): boolean {
  if (found.status !== "found" || found.source.settings.onRemoved !== "Deny") return false;
  return found.value.every((summary) => summary.version.toLowerCase() !== version);
}

/** Versions that the source has removed are resolved only where it keeps them. */
async function merged<R extends { readonly version: string }>(
  found: FromSource<readonly R[]>,
  readStored: () => Promise<readonly R[]>,
): Promise<readonly R[]> {
  if (found.status === "local") return readStored();
  if (found.status === "absent") return [];
  if (found.source.settings.onRemoved !== "Keep") return found.value;
  const told = new Set(found.value.map(({ version }) => version.toLowerCase()));
  const removed = (await readStored()).filter(({ version }) => !told.has(version.toLowerCase()));
  return removed.length === 0 ? found.value : ascendingVersions([...found.value, ...removed]);
}
