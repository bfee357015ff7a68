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
import { NUGET_ARTIFACT, NUGET_CONFIG, NUPKG_LAYER } from "./bundle-format.ts";
import { collectPackage } from "./collect-package.ts";
import type { PackageKind, StoredPackage } from "./collect-package.ts";
import type { Collected } from "./collected.ts";

/** The ports that an export of NuGet packages reads. */
export type NuGetExportPorts = {
  readonly lookup: Pick<PackageLookup, "find" | "versions">;
  readonly provenance: ProvenanceLookup;
  readonly files: Pick<PackageFiles, "read">;
};

const KIND: PackageKind = {
  artifactType: NUGET_ARTIFACT,
  configType: NUGET_CONFIG,
  mediaType: NUPKG_LAYER,
  damaged: "Its stored file is damaged.",
  unwanted: OTHER_CONTENT_HASH,
};

/** Adds the received file of one version, without the signature of this feed. */
export async function collectNuGet(
  ports: NuGetExportPorts,
  wanted: WantedPackage,
  contents: BundleContents,
): Promise<Collected> {
  return collectPackage(KIND, await findStored(ports, wanted), contents);
}

async function findStored(
  { lookup, provenance, files }: NuGetExportPorts,
  { name, version, integrity }: WantedPackage,
): Promise<StoredPackage | undefined> {
  const key = [lowerId(name), version.toLowerCase()] as const;
  const [stored, [record], facts] = await Promise.all([
    lookup.find(...key),
    lookup.versions(key[0], [key[1]]),
    provenance.find(...key),
  ]);
  if (!stored || !record) return undefined;
  const { isDamaged = false, key: blobKey, sha256, size } = stored.blob;
  const contentHash = facts?.contentHash;
  return {
    title: `${record.id} ${record.version}`,
    file: { name: `${key.join(".")}.nupkg`, sha256, size },
    isDamaged,
    isWanted: fitsContentHash(integrity, contentHash),
    read: () => files.read(blobKey),
    config: () => configOf(record, contentHash),
  };
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
