import type { Database } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import { createSourceList, openStoredSources } from "@sealhouse/upstream-sources";
import type { PackageSource, RefreshableSourceList } from "@sealhouse/upstream-sources";
import type { MirrorSignatures } from "@sealhouse/repo-signing";
import type { Config } from "../../settings/config.ts";

type SourceListParts = {
  readonly database: Pick<Database, "upstream">;
  readonly keyRing: Pick<KeyRing, "protect" | "unprotect">;
  readonly config: Pick<Config, "mirror">;
  readonly now: () => Date;
};

/** Opens the list of the sources of the database and of the configuration; it is empty while
 * mirrors are off. `onUndecryptable` gets sources whose credentials the key ring cannot decrypt. */
export function openSourceList(
  { config, database, keyRing, now }: SourceListParts,
  onUndecryptable?: (source: string, error: unknown) => void,
): RefreshableSourceList {
  const { isEnabled, sources: configured } = config.mirror;
  if (!isEnabled) return { current: async () => [], refresh: () => undefined };
  const stored = openStoredSources(database.upstream.sources, keyRing, onUndecryptable);
  return createSourceList({ stored: () => stored.list(), configured, now });
}

/** Returns the rules for signatures of the source of a NuGet package; undefined for packages that
 * were published here. */
export function mirrorSignaturesOf(
  parts: SourceListParts,
): (id: string) => Promise<MirrorSignatures | undefined> {
  const sources = openSourceList(parts);
  return async (id) => {
    const nuget = (await sources.current()).filter(({ protocol }) => protocol === "nuget");
    if (nuget.length === 0) return undefined;
    const origin = await parts.database.upstream.origins.find("nuget", id.toLowerCase());
    if (origin?.origin !== "mirrored") return undefined;
    const source = nuget.find(({ name }) => name === origin.source);
    return source && signaturesOf(source);
  };
}

function signaturesOf({ signaturePolicy, settings }: PackageSource): MirrorSignatures {
  return { policy: signaturePolicy, trustedCertificates: settings.trustedCertificates };
}
