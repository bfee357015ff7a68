import { createHash } from "node:crypto";
import { catalogSource, isRepositoryName } from "@sealhouse/oci-distribution";
import type { OciPorts } from "@sealhouse/oci-distribution";
import type { ImageSource } from "@sealhouse/oci-distribution/client";
import type { VersionChoice } from "../group/choose-version.ts";
import type { ReleaseMember } from "../model/release.ts";

/** The ports of the registry that releases read images from. */
export type ImageMemberPorts = Pick<OciPorts, "blobs" | "manifests" | "files">;

const TAGS_AT_ONCE = 1000;
/** More than any repository has. */
const TAGS_MAX = 100_000;

/** The tags. */
export async function imageVersions(
  { manifests }: ImageMemberPorts,
  name: string,
): Promise<readonly VersionChoice[]> {
  if (!isRepositoryName(name)) return [];
  const choices: VersionChoice[] = [];
  for (let after: string | undefined; choices.length < TAGS_MAX;) {
    const page = { limit: TAGS_AT_ONCE, ...(after !== undefined && { after }) };
    const tags = (await manifests.tags(name, page)) ?? [];
    for (const tag of tags) choices.push({ version: tag, isListed: true, tags: [tag] });
    after = tags.at(-1);
    if (after === undefined || tags.length < TAGS_AT_ONCE) break;
  }
  return choices;
}

/** The image that the tag points to now; its digest is its version. */
export async function describeImage(
  { manifests }: ImageMemberPorts,
  name: string,
  { version, tags }: VersionChoice,
): Promise<ReleaseMember | undefined> {
  if (!isRepositoryName(name)) return undefined;
  const manifest = await manifests.find(name, version, { whole: true });
  if (!manifest) return undefined;
  const { digest, mediaType, bytes } = manifest;
  const hash = (algorithm: string) => createHash(algorithm).update(bytes).digest("hex");
  const received = { sha256: hash("sha256"), sha512: hash("sha512") };
  return {
    protocol: "oci",
    name,
    version: digest,
    size: bytes.length,
    mediaType,
    received,
    tags,
  };
}

export function openImage(
  ports: ImageMemberPorts,
  { name }: Pick<ReleaseMember, "name">,
): ImageSource {
  if (!isRepositoryName(name)) throw new TypeError(`${name} is not the name of a repository`);
  return catalogSource(ports, name);
}
