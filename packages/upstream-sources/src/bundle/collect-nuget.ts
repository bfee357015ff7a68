import { lowerId } from "@sealhouse/nuget-protocol";
import type {
  PackageFiles,
  PackageLookup,
  PackageRecord,
  ProvenanceLookup,
} from "@sealhouse/nuget-protocol";
import { fitsContentHash, OTHER_CONTENT_HASH } from "../wanted/stored-hashes.ts";
import type { WantedPackage } from "../wanted/wanted.ts";
import type { BundleContents } from "./bundle-contents.ts";
import { NUGET_ARTIFACT, NUGET_CONFIG, NUPKG_LAYER, TITLE } from "./bundle-format.ts";
import type { Collected } from "./collected.ts";
import { ABSENT, BUNDLED, refused } from "./collected.ts";

/** The ports that an export of NuGet packages reads. */
export type NuGetExportPorts = {
  readonly lookup: Pick<PackageLookup, "find" | "versions">;
  readonly provenance: ProvenanceLookup;
  readonly files: Pick<PackageFiles, "read">;
};

/** Adds the received file of one version, without the signature of this feed. */
export async function collectNuGet(
  { lookup, provenance, files }: NuGetExportPorts,
  { name, version, integrity }: WantedPackage,
  contents: BundleContents,
): Promise<Collected> {
  const key = [lowerId(name), version.toLowerCase()] as const;
  const [stored, [record], facts] = await Promise.all([
    lookup.find(...key),
    lookup.versions(key[0], [key[1]]),
    provenance.find(...key),
  ]);
  if (!stored || !record) return ABSENT;
  const { blob } = stored;
  if (blob.isDamaged) return refused("Its stored file is damaged.");
  const contentHash = facts?.contentHash;
  if (!fitsContentHash(integrity, contentHash)) return refused(OTHER_CONTENT_HASH);
  contents.addPackage({
    artifactType: NUGET_ARTIFACT,
    configType: NUGET_CONFIG,
    config: configOf(record, contentHash),
    title: `${record.id} ${record.version}`,
    layer: {
      mediaType: NUPKG_LAYER,
      digest: `sha256:${blob.sha256}`,
      size: blob.size,
      annotations: { [TITLE]: `${key.join(".")}.nupkg` },
      read: () => files.read(blob.key),
    },
  });
  return BUNDLED;
}

function configOf(record: PackageRecord, contentHash: string | undefined): object {
  const { id, fullVersion, listed, publishedAt, origin, deprecation } = record;
  return {
    id,
    version: fullVersion,
    listed,
    publishedAt: publishedAt.toISOString(),
    origin,
    ...(deprecation && { deprecation }),
    ...(contentHash !== undefined && { contentHash }),
  };
}
