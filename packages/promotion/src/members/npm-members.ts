import { isProvenance } from "@sealhouse/npm-protocol";
import type {
  JsonObject,
  KeptNpmVersion,
  NpmAttestations,
  NpmLookup,
  NpmPackage,
  TarballContent,
} from "@sealhouse/npm-protocol";
import type { VersionChoice } from "../group/choose-version.ts";
import type { NpmMember } from "../publishers/contents.ts";
import type { ReleaseMember } from "../model/release.ts";
import type { HeldContents } from "./held-contents.ts";
import { verifiedFile } from "./verified-file.ts";

/** The ports of the registry that releases read npm packages from. */
export type NpmMemberPorts = {
  readonly lookup: Pick<NpmLookup, "find" | "tarball">;
  readonly attestations: NpmAttestations;
  readonly content: Pick<TarballContent, "open">;
  readonly held: Pick<HeldContents, "npm">;
};

const GZIP = "application/gzip";

export async function npmVersions(
  { lookup }: NpmMemberPorts,
  name: string,
): Promise<readonly VersionChoice[]> {
  const found = await lookup.find(name);
  if (!found) return [];
  const withheld = new Set(found.withheld?.map(({ version }) => version));
  return found.versions
    .filter(({ version, isDamaged }) => isDamaged !== true && !withheld.has(version))
    .map(({ version }) => ({ version, isListed: true, tags: tagsOf(found, version) }));
}

/** Why a version may no longer be released. */
export async function npmWithdrawal(
  { lookup }: NpmMemberPorts,
  { name, version }: Pick<ReleaseMember, "name" | "version">,
): Promise<string | undefined> {
  const tarball = await lookup.tarball(name, version);
  return tarball && tarball.isDamaged !== true ? undefined : "it was deleted";
}

/** Also checks that the tarball is readable. */
export async function describeNpm(
  { lookup }: NpmMemberPorts,
  name: string,
  { version, tags }: VersionChoice,
): Promise<ReleaseMember | undefined> {
  const tarball = await lookup.tarball(name, version);
  if (!tarball || tarball.isDamaged) return undefined;
  const sha512 = hexOf(tarball.integrity);
  const received = { sha256: tarball.sha256, sha512 };
  return { protocol: "npm", name, version, size: tarball.size, mediaType: GZIP, received, tags };
}

export async function openNpm(
  { lookup, attestations, content, held }: NpmMemberPorts,
  member: ReleaseMember,
): Promise<NpmMember | undefined> {
  const { name, version, received } = member;
  const found = await lookup.find(name);
  const stored = found?.versions.find((candidate) => candidate.version === version);
  const tarball = await lookup.tarball(name, version);
  if (!found || !stored || !tarball || hexOf(tarball.integrity) !== received.sha512) {
    const kept = await held.npm(member);
    return kept && heldNpm(content, kept, received);
  }
  const provenance = (await attestations.of(name, version)).find(isProvenance)?.bundle;
  const { readme } = found.distTags["latest"] === version ? found : {};
  return {
    manifest: JSON.parse(stored.manifest) as JsonObject,
    file: verifiedFile(content.open(tarball), received.sha512),
    integrity: tarball.integrity,
    shasum: stored.shasum,
    ...(readme !== undefined && { readme }),
    ...(provenance !== undefined && { provenance }),
  };
}

/** A version that was deleted after the freeze. */
function heldNpm(
  content: NpmMemberPorts["content"],
  { version: { manifest, integrity, shasum }, tarball }: KeptNpmVersion,
  { sha512 }: ReleaseMember["received"],
): NpmMember | undefined {
  if (tarball.isDamaged) return undefined;
  const file = verifiedFile(content.open(tarball), sha512);
  return { manifest: JSON.parse(manifest) as JsonObject, file, integrity, shasum };
}

function tagsOf({ distTags }: NpmPackage, version: string): readonly string[] {
  return Object.keys(distTags).filter((tag) => distTags[tag] === version);
}

function hexOf(integrity: string): string {
  const [, base64 = ""] = /(?:^|\s)sha512-([A-Za-z0-9+/=]+)/.exec(integrity) ?? [];
  return Buffer.from(base64, "base64").toString("hex");
}
