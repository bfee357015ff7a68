import { basenameOf, isProvenance, parseOldPackageName } from "@sealhouse/npm-protocol";
import type {
  NpmAttestations,
  NpmLookup,
  NpmPackage,
  NpmVersion,
  TarballContent,
} from "@sealhouse/npm-protocol";
import { fitsStoredVersion, OTHER_INTEGRITY } from "../wanted/stored-hashes.ts";
import type { WantedPackage } from "../wanted/wanted.ts";
import type { BundleContents } from "./bundle-contents.ts";
import { NPM_ARTIFACT, NPM_CONFIG, TARBALL_LAYER } from "./bundle-format.ts";
import { byCodeUnit } from "./canonical-json.ts";
import { collectPackage } from "./collect-package.ts";
import type { PackageKind, StoredPackage } from "./collect-package.ts";
import type { Collected } from "./collected.ts";

/** The ports that an export of npm packages reads. */
export type NpmExportPorts = {
  readonly lookup: Pick<NpmLookup, "find" | "tarball">;
  readonly attestations: NpmAttestations;
  readonly content: Pick<TarballContent, "open">;
};

const KIND: PackageKind = {
  artifactType: NPM_ARTIFACT,
  configType: NPM_CONFIG,
  mediaType: TARBALL_LAYER,
  damaged: "Its stored tarball is damaged.",
  unwanted: OTHER_INTEGRITY,
};

/** Adds the tarball of one version, with its manifest and the dist-tags that point to it. */
export async function collectNpm(
  ports: NpmExportPorts,
  wanted: WantedPackage,
  contents: BundleContents,
): Promise<Collected> {
  return collectPackage(KIND, await findStored(ports, wanted), contents);
}

async function findStored(
  { lookup, attestations, content }: NpmExportPorts,
  { name, version, integrity }: WantedPackage,
): Promise<StoredPackage | undefined> {
  const found = await lookup.find(name);
  const stored = found?.versions.find((candidate) => candidate.version === version);
  const tarball = await lookup.tarball(name, version);
  const parsed = parseOldPackageName(name);
  if (!found || !stored || !tarball || !parsed) return undefined;
  const { sha256, size } = tarball;
  return {
    title: `${name} ${version}`,
    file: { name: `${basenameOf(parsed)}-${version}.tgz`, sha256, size },
    isDamaged: tarball.isDamaged === true || stored.isDamaged === true,
    isWanted: fitsStoredVersion(integrity, stored),
    read: () => content.open(tarball).read(),
    async config() {
      const statements = await attestations.of(name, version);
      const provenance = statements.find(isProvenance)?.bundle;
      return { ...configOf(found, stored), ...(provenance !== undefined && { provenance }) };
    },
  };
}

/** The README belongs to the version that `latest` points to. */
function configOf(found: NpmPackage, stored: NpmVersion): object {
  const { name, distTags, maintainers, readme, readmeFilename } = found;
  const { version, manifest, integrity, shasum, publishedAt, deprecated, signatures } = stored;
  const tags = Object.keys(distTags).filter((tag) => distTags[tag] === version);
  return {
    name,
    version,
    // As text: the order of its fields has a meaning.
    manifest,
    dist: { integrity, shasum, ...(signatures && { signatures }) },
    publishedAt: publishedAt.toISOString(),
    tags: tags.toSorted(byCodeUnit),
    ...(deprecated !== undefined && { deprecated }),
    ...(maintainers && { maintainers }),
    ...(tags.includes("latest") && {
      ...(readme !== undefined && { readme }),
      ...(readmeFilename !== undefined && { readmeFilename }),
    }),
  };
}
