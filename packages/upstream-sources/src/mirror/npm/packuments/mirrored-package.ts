import {
  foreignManifest,
  latestOf,
  parseDistTag,
  parsePackageVersion,
} from "@sealhouse/npm-protocol";
import type { NpmPackage, NpmVersion } from "@sealhouse/npm-protocol";
import type { RemotePackument, RemoteVersion } from "@sealhouse/npm-protocol/client";

/**
 * Returns a package of a source in the form of local packages. `local` has the versions that were
 * fetched before; they add the signatures of this registry. Versions that no client can install are
 * left out: without a tarball, without a hash, without a valid version number, or with the name of
 * another package.
 */
export function mirroredPackage(
  remote: RemotePackument,
  local: NpmPackage | undefined,
  unknownTime: Date,
): NpmPackage {
  const { name, maintainers, readme, readmeFilename, modifiedAt, unpublished } = remote;
  const fetched = new Map(local?.versions.map((version) => [version.version, version]));
  const versions = remote.versions.flatMap((version) =>
    versionOf(name, version, fetched.get(version.version), unknownTime),
  );
  const known = new Set(versions.map(({ version }) => version));
  const times = versions.map(({ publishedAt }) => publishedAt.getTime());
  const newest = times.length > 0 ? new Date(Math.max(...times)) : unknownTime;
  return {
    name,
    revision: versions.length,
    createdAt: times.length > 0 ? new Date(Math.min(...times)) : unknownTime,
    modifiedAt: modifiedAt ?? newest,
    ...(readme !== undefined && { readme }),
    ...(readmeFilename !== undefined && { readmeFilename }),
    distTags: distTagsOf(remote, known),
    removedTimes: new Map([...remote.times].filter(([version]) => !known.has(version))),
    ...(unpublished && { unpublished }),
    ...(maintainers.length > 0 && { maintainers }),
    versions,
  };
}

/** Clients need `latest`; where the source has none, or a wrong one, it is the highest version. */
function distTagsOf(
  remote: RemotePackument,
  known: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const tags = [...remote.distTags].filter(
    ([tag, version]) => parseDistTag(tag) !== undefined && known.has(version),
  );
  const latest = latestOf([...known]);
  return Object.fromEntries(latest === undefined ? tags : [["latest", latest], ...tags]);
}

/** Whether the documents show a version. */
export function isInstallable(name: string, { version, manifest, dist }: RemoteVersion): boolean {
  const { tarball, integrity = "", shasum = "" } = dist;
  const isNamed =
    (manifest["name"] ?? name) === name &&
    manifest["version"] === version &&
    parsePackageVersion(version) === version;
  return isNamed && tarball !== undefined && (integrity !== "" || shasum !== "");
}

function versionOf(
  name: string,
  remote: RemoteVersion,
  fetched: NpmVersion | undefined,
  unknownTime: Date,
): readonly NpmVersion[] {
  const { version, manifest, dist, deprecated, publishedAt = unknownTime } = remote;
  const { integrity = "", shasum = "" } = dist;
  if (!isInstallable(name, remote)) return [];
  const signatures = [...dist.signatures, ...(fetched?.signatures ?? [])];
  const texts = foreignManifest(manifest);
  return [
    {
      version,
      get manifest() {
        return texts.manifest;
      },
      get abbreviated() {
        return texts.abbreviated;
      },
      integrity,
      shasum: shasum.toLowerCase(),
      ...(dist.npmSignature !== undefined && { npmSignature: dist.npmSignature }),
      fileCount: dist.fileCount,
      unpackedSize: dist.unpackedSize,
      publishedAt,
      ...(deprecated !== undefined && { deprecated }),
      ...(signatures.length > 0 && { signatures }),
      ...(dist.provenance !== undefined && { provenance: dist.provenance }),
    },
  ];
}
