import { BoundedCache } from "@sealhouse/bounded-cache";
import { isCallError } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "@sealhouse/oci-distribution";
import { isDigest, isTag } from "@sealhouse/oci-distribution";
import { OciClientError } from "@sealhouse/oci-distribution/client";
import type {
  ContentDescriptor,
  FetchedManifest,
  FoundManifest,
  RepositoryClient,
} from "@sealhouse/oci-distribution/client";
import type { PackageSource } from "../../sources/package-source.ts";
import type { DocumentAsk } from "../documents/document-ask.ts";
import type { DocumentAnswer } from "../documents/document-reader.ts";
import type { FetchedDocument } from "../documents/kept-after.ts";
import type { FoundAtSource, Mirror } from "../mirror.ts";
import type { NameOrigins } from "../ports.ts";
import type { WantedImage } from "./image-locator.ts";
import { nameAt } from "./image-locator.ts";
import type { ImageRegistries } from "./image-registries.ts";
import { checkedManifest } from "./checked-manifest.ts";

/** Kept documents of sources about images. They are JSON. */
export type ImageDocuments = {
  /** The digest of a tag at the first source that has it. */
  tag(image: WantedImage, tag: string): Promise<FoundAtSource | "own" | "absent">;
  /** Whether a source has a manifest, for repositories of which nothing is here. */
  manifest(image: WantedImage, digest: Digest): Promise<FoundAtSource | "own" | "absent">;
  tags(image: WantedImage): Promise<FoundAtSource | "own" | "absent">;
  referrers(image: WantedImage, source: PackageSource, digest: Digest): Promise<DocumentAnswer>;
  /** Compares the digest of a tag with the source at once, as `DocumentReader.recheck`. */
  recheckTag(image: WantedImage, source: PackageSource, tag: string): void;
  /** A manifest that came with the answer about a tag, once. */
  takeManifest(digest: Digest): FetchedManifest | undefined;
};

export type DocumentsParts = {
  readonly mirror: Pick<Mirror, "documents" | "findFirst">;
  readonly origins: Pick<NameOrigins, "find">;
  readonly registries: ImageRegistries;
  readonly now: () => Date;
};

/** Old tags and lists are compared first: tags move. */
const PATIENCE_MS = 2_000;
const MANIFESTS_MAX = 16;
const TAGS_MAX = 200_000;
const MANY = `lists more than ${TAGS_MAX} tags`;
const HERE = new URL("oci:");

type Ask = {
  readonly kind: "tag" | "manifest" | "tags" | "referrers";
  readonly part: string;
  readonly fetch: (
    repository: RepositoryClient,
    etag: string | undefined,
    signal: AbortSignal,
  ) => Promise<FetchedDocument>;
};

/** Manifests that came with answers about tags, until they are asked for. */
function createCarriedManifests() {
  const manifests = new BoundedCache<Digest, FetchedManifest>({ entries: MANIFESTS_MAX });
  return {
    keep(manifest: FetchedManifest): void {
      checkedManifest(manifest, HERE);
      manifests.set(manifest.digest, manifest);
    },
    take(digest: Digest): FetchedManifest | undefined {
      const manifest = manifests.get(digest);
      manifests.delete(digest);
      return manifest;
    },
  };
}

export function createImageDocuments(parts: DocumentsParts): ImageDocuments {
  const { mirror, origins, registries, now } = parts;
  const answers = createRecentAnswers(now);
  const manifests = createCarriedManifests();

  const askOf = (image: WantedImage, { kind, part, fetch }: Ask) => {
    return (source: PackageSource): DocumentAsk => {
      const name = nameAt(source, image);
      const repository = registries.of(source).repository(name);
      return {
        source,
        kind,
        name,
        part,
        patienceMs: PATIENCE_MS,
        async fetch({ etag }, signal) {
          try {
            const fetched = await fetch(repository, etag, signal);
            if (fetched.status !== "absent") answers.note(source.name, name);
            return fetched;
          } catch (error) {
            if (!isUnauthorized(error) || etag !== undefined) throw error;
            if (!answers.hasOther(source.name, name)) throw error;
            // Some registries answer 401 for missing repositories, and nothing of it is here.
            if (await origins.find("oci", image.name)) throw error;
            return { status: "absent" };
          }
        },
      };
    };
  };

  /** A tag or a digest. */
  const reference = (kind: "tag" | "manifest", part: string): Ask => ({
    kind,
    part,
    async fetch(repository, etag, signal) {
      const isNewTag = kind === "tag" && etag === undefined;
      // Clients ask for the manifest next.
      const found = isNewTag
        ? await wholeManifest(repository, part, signal)
        : await repository.findManifest(part, { signal });
      if (!found) return { status: "absent" };
      if (found.manifest) manifests.keep(found.manifest);
      const { digest } = found;
      return digest === etag ? { status: "unchanged" } : jsonOf({ digest }, digest);
    },
  });

  return {
    tag: (image, tag) => mirror.findFirst(image, askOf(image, reference("tag", tag))),
    manifest: (image, digest) =>
      mirror.findFirst(image, askOf(image, reference("manifest", digest))),
    tags: (image) => mirror.findFirst(image, askOf(image, TAGS)),
    referrers: (image, source, digest) =>
      mirror.documents.read(askOf(image, referrersOf(digest))(source)),
    recheckTag: (image, source, tag) =>
      mirror.documents.recheck(askOf(image, reference("tag", tag))(source)),
    takeManifest: (digest) => manifests.take(digest),
  };
}

async function wholeManifest(
  repository: RepositoryClient,
  reference: string,
  signal: AbortSignal,
): Promise<FoundManifest | undefined> {
  const manifest = await repository.manifest(reference, { signal });
  return manifest && { digest: manifest.digest, size: manifest.bytes.length, manifest };
}

const TAGS: Ask = {
  kind: "tags",
  part: "",
  async fetch(repository, _etag, signal) {
    const tags = new Set<string>();
    for await (const tag of repository.tags({ signal })) {
      if (isTag(tag)) tags.add(tag);
      if (tags.size > TAGS_MAX) throw new OciClientError("too-large", { url: HERE, reason: MANY });
    }
    return tags.size === 0 ? { status: "absent" } : jsonOf([...tags].toSorted());
  },
};

function referrersOf(digest: Digest): Ask {
  return {
    kind: "referrers",
    part: digest,
    fetch: async (repository, _etag, signal) =>
      jsonOf(await repository.referrers(digest, { signal })),
  };
}

function jsonOf(value: unknown, etag?: string): FetchedDocument {
  return { status: "found", bytes: Buffer.from(JSON.stringify(value)), etag };
}

function isUnauthorized(error: unknown): boolean {
  return isCallError(error) && error.code === "unauthorized" && error.status === 401;
}

type Bytes = Pick<Extract<DocumentAnswer, { readonly status: "found" }>, "bytes">;

/** Kept documents are what `jsonOf` made. */
async function read(answer: Bytes): Promise<unknown> {
  return JSON.parse(Buffer.from(await answer.bytes()).toString());
}

export async function digestIn(answer: Bytes): Promise<Digest> {
  const { digest } = (await read(answer)) as { readonly digest: string };
  if (isDigest(digest)) return digest;
  throw new Error("the kept document of a tag has no digest");
}

export async function tagsIn(answer: Bytes): Promise<readonly string[]> {
  return (await read(answer)) as readonly string[];
}

export async function referrersIn(answer: Bytes): Promise<readonly ContentDescriptor[]> {
  return (await read(answer)) as readonly ContentDescriptor[];
}

const RECENT_MS = 5 * 60_000;
const NAMES_MAX = 2;

/** Remembers which names a source has answered for. */
export type RecentAnswers = {
  note(source: string, name: string): void;
  /** Whether the source has answered for another name within five minutes. */
  hasOther(source: string, name: string): boolean;
};

export function createRecentAnswers(now: () => Date): RecentAnswers {
  /** The last two names of each source, with their times. */
  const bySource = new Map<string, ReadonlyMap<string, number>>();
  return {
    note(source, name) {
      const before = [...(bySource.get(source) ?? [])].filter(([other]) => other !== name);
      const last = [...before.slice(1 - NAMES_MAX), [name, now().getTime()] as const];
      bySource.set(source, new Map(last));
    },
    hasOther(source, name) {
      const since = now().getTime() - RECENT_MS;
      const names = [...(bySource.get(source) ?? [])];
      return names.some(([other, time]) => other !== name && time >= since);
    },
  };
}
