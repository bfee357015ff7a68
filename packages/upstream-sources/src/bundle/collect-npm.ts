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
import { NPM_ARTIFACT, NPM_CONFIG, TARBALL_LAYER, TITLE } from "./bundle-format.ts";
import { byCodeUnit } from "./canonical-json.ts";
import type { Collected } from "./collected.ts";
import { ABSENT, BUNDLED, refused } from "./collected.ts";

/** The ports that an export of npm packages reads. */
export type NpmExportPorts = {
  readonly lookup: Pick<NpmLookup, "find" | "tarball">;
  readonly attestations: NpmAttestations;
  readonly content: Pick<TarballContent, "open">;
};

/** Adds the tarball of one version, with its manifest and the dist-tags that point to it. */
export async function collectNpm(
  { lookup, attestations, content }: NpmExportPorts,
  { name, version, integrity }: WantedPackage,
  contents: BundleContents,
): Promise<Collected> {
  const found = await lookup.find(name);
  const stored = found?.versions.find((candidate) => candidate.version === version);
  const tarball = await lookup.tarball(name, version);
  const parsed = parseOldPackageName(name);
  if (!found || !stored || !tarball || !parsed) return ABSENT;
  if (tarball.isDamaged || stored.isDamaged) return refused("Its stored tarball is damaged.");
  if (!fitsStoredVersion(integrity, stored)) return refused(OTHER_INTEGRITY);
  const statements = await attestations.of(name, version);
  const provenance = statements.find(isProvenance)?.bundle;
  contents.addPackage({
    artifactType: NPM_ARTIFACT,
    configType: NPM_CONFIG,
    config: { ...configOf(found, stored), ...(provenance !== undefined && { provenance }) },
    title: `${name} ${version}`,
    layer: {
      mediaType: TARBALL_LAYER,
      digest: `sha256:${tarball.sha256}`,
      size: tarball.size,
      annotations: { [TITLE]: `${basenameOf(parsed)}-${version}.tgz` },
      read: () => content.open(tarball).read(),
    },
  });
  return BUNDLED;
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
