import type { KeyRing } from "@sealhouse/identity";
import type { PackageSource } from "../../sources/package-source.ts";
import type { SourceRows } from "../../sources/source-rows.ts";
import { openStoredSources } from "../../sources/stored-sources.ts";
import type { NameOrigins } from "../ports.ts";
import { createSourceList } from "./source-list.ts";
import type { RefreshableSourceList } from "./source-list.ts";

/** Dependencies and settings of `openSourceList`. */
export type SourceListParts = {
  readonly mirror: {
    readonly isEnabled: boolean;
    /** The sources of the configuration. */
    readonly sources: readonly PackageSource[];
  };
  readonly sources: SourceRows;
  readonly keyRing: Pick<KeyRing, "protect" | "unprotect">;
  readonly now: () => Date;
  /** Default: undecryptable credentials are not logged. */
  readonly log?: { error(fields: object, message: string): void };
};

/**
 * Opens the list of the sources of the database and of the configuration; it is empty while mirrors
 * are off. Sources whose credentials the key ring cannot decrypt are logged once.
 */
export function openSourceList(parts: SourceListParts): RefreshableSourceList {
  const { mirror, sources, keyRing, now, log } = parts;
  if (!mirror.isEnabled) return { current: async () => [], refresh: () => undefined };
  const stored = openStoredSources(sources, keyRing, log && reportOnce(log));
  return createSourceList({ stored: () => stored.list(), configured: mirror.sources, now });
}

/** The list of sources is read often. */
function reportOnce(
  log: NonNullable<SourceListParts["log"]>,
): (source: string, error: unknown) => void {
  const reported = new Set<string>();
  return (source, error) => {
    if (reported.has(source)) return;
    reported.add(source);
    log.error({ source, err: error }, "could not decrypt the credentials of a package source");
  };
}

/** The rules of a source for signatures of NuGet packages. */
export type SourceSignatures = {
  readonly policy: PackageSource["signaturePolicy"];
  readonly trustedCertificates: PackageSource["settings"]["trustedCertificates"];
};

/** Returns the rules for signatures of the source of a NuGet package; undefined for packages that
 * were published here. */
export function mirrorSignaturesOf(
  list: Pick<RefreshableSourceList, "current">,
  origins: Pick<NameOrigins, "find">,
): (id: string) => Promise<SourceSignatures | undefined> {
  return async (id) => {
    const nuget = (await list.current()).filter(({ protocol }) => protocol === "nuget");
    if (nuget.length === 0) return undefined;
    const origin = await origins.find("nuget", id.toLowerCase());
    if (origin?.origin !== "mirrored") return undefined;
    const found = nuget.find(({ name }) => name === origin.source);
    if (!found) return undefined;
    const { signaturePolicy: policy, settings } = found;
    return { policy, trustedCertificates: settings.trustedCertificates };
  };
}
