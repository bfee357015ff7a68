import { attachedTagsOf, fallbackTagOf } from "../../attached-tag.ts";
import type { Digest } from "../../digest.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import type { ManifestEdge } from "../../ports.ts";
import type { RepositoryName } from "../../repository-name.ts";
import { parseRepositoryName } from "../../repository-name.ts";
import type { TestManifest } from "../build-image.ts";
import { buildImage, buildIndex } from "../build-image.ts";

/** Content for pushes: everything is small, and shares parts with something else. */
export type Content = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly edges: readonly ManifestEdge[];
  readonly subject?: Digest;
  readonly blobs: readonly Digest[];
  readonly children: readonly Content[];
};

const image = (layers: readonly string[], config: string, subject?: TestManifest) =>
  buildImage({ layers, config, ...(subject && { subject: subject.descriptor }) });

const first = image(["base", "one"], '{"of":"first"}');
const second = image(["base", "two"], '{"of":"second"}');
const third = image(["three"], '{"of":"third"}');
const pair = buildIndex([first, second]);
const nested = buildIndex([pair, third]);
const ring = buildIndex([third], { subject: third.descriptor });
const signature = image(["signature"], "{}", first);
const ofSignature = image(["signature of it"], "{}", signature);
const ofPair = image(["signature of the pair"], "{}", pair);
const attached = image(["attached"], "{}");
const listing = buildIndex([signature]);

const built = [
  first,
  second,
  third,
  pair,
  nested,
  ring,
  signature,
  ofSignature,
  ofPair,
  attached,
  listing,
];
const bytesByDigest = new Map<Digest, Uint8Array>();
const byDigest = new Map<Digest, Content>();
for (const testManifest of built) {
  const { edges, subject } = parseManifest(testManifest.bytes, testManifest.mediaType);
  for (const { digest, bytes } of testManifest.blobs) bytesByDigest.set(digest, bytes);
  byDigest.set(testManifest.digest, {
    digest: testManifest.digest,
    mediaType: testManifest.mediaType,
    bytes: testManifest.bytes,
    edges,
    ...(subject !== undefined && { subject }),
    blobs: [...new Set(testManifest.blobs.map(({ digest }) => digest))],
    // Children are before their parents in the list.
    children: edges.flatMap(({ digest }) => byDigest.get(digest) ?? []),
  });
}

export const contents: readonly Content[] = [...byDigest.values()];
export const blobDigests: readonly Digest[] = [...bytesByDigest.keys()];

export function bytesOf(digest: Digest): Uint8Array {
  const bytes = bytesByDigest.get(digest);
  if (!bytes) throw new Error(`no blob ${digest}`);
  return bytes;
}

/** Tags that people give. */
export const PLAIN_TAGS = ["1", "latest"] as const;

/** Tags that clients make, with what they point to; the last two name each other's manifests. */
export const systemTags: readonly { readonly tag: string; readonly content: Content }[] = [
  ...tagging(fallbackTagOf(first.digest), listing),
  ...tagging(attachedTagsOf(pair.digest)[0], attached),
  ...tagging(fallbackTagOf(attached.digest), third),
  ...tagging(fallbackTagOf(third.digest), attached),
];

function tagging(tag: string | undefined, { digest }: TestManifest) {
  const content = byDigest.get(digest);
  return tag !== undefined && content ? [{ tag, content }] : [];
}

/** Two on the default surface, one on another. */
export const repositories: readonly RepositoryName[] = ["app", "lib", "seg/app"].map((name) =>
  parseRepositoryName(name),
);
export const surfaces = [
  { name: "default", notUnder: ["seg"] },
  { name: "seg", segment: "seg" },
] as const;
