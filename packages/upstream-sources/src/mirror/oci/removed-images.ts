import { createHash } from "node:crypto";
import type { Digest, RepositoryName } from "@sealhouse/oci-distribution";
import { removedText } from "../../policy/policy-texts.ts";
import { contentKeyOf } from "../../sources/package-source.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import { isSourceFailure } from "../documents/document-reader.ts";
import type { DocumentKey, KeptDocuments } from "../ports.ts";
import type { ImageDocuments } from "./image-documents.ts";
import { nameAt } from "./image-locator.ts";
import type { WantedImage } from "./image-locator.ts";
import { refusedImage } from "./image-policy.ts";

/** An image here, and the source that its repository comes from. */
export type StoredImage = {
  readonly image: WantedImage;
  readonly repository: RepositoryName;
  /** Undefined while the repository has none. */
  readonly source: PackageSource | undefined;
};

/** Denies images that their source has removed, where it has `OnRemoved=Deny`. */
export type RemovedImages = {
  /** Throws `DENIED` for a tag that the source has no longer. */
  refuseTag(stored: StoredImage, tag: string): void;
  /** Throws `DENIED` for an image that the source has no longer. */
  requireAtSource(stored: StoredImage, digest: Digest): Promise<void>;
};

const HOUR_MS = 60 * 60_000;
/** An image counts as removed when the source denies it twice, with this time between. */
const GONE_AFTER_MS = HOUR_MS;
/** Denials with more time between are not about the same removal. */
const GAP_MAX_MS = 24 * HOUR_MS;
/** The last denial is written again after this time. */
const NOTED_EVERY_MS = HOUR_MS / 6;

type Denied = { readonly since: number; readonly last: number };

export function createRemovedImages({
  documents,
  kept,
  isOffline,
  now,
}: {
  readonly documents: Pick<ImageDocuments, "manifest">;
  readonly kept: Pick<KeptDocuments, "bytes" | "put">;
  readonly isOffline: boolean;
  readonly now: () => Date;
}): RemovedImages {
  /** Returns since when the source denies it without a break. */
  const noteDenied = async (key: DocumentKey): Promise<number> => {
    const at = now().getTime();
    const before = readDenied(await kept.bytes(key));
    const isSame = before !== undefined && at - before.last < GAP_MAX_MS;
    if (isSame && at - before.last < NOTED_EVERY_MS) return before.since;
    const since = isSame ? before.since : at;
    const bytes = Buffer.from(JSON.stringify({ since, last: at } satisfies Denied));
    const revision = createHash("sha256").update(bytes).digest("hex");
    await kept.put(key, { status: "found", revision, checkedAt: now(), bytes }, []);
    return since;
  };

  /** A source that fails has not removed anything. */
  const isAtSource = async (image: WantedImage, digest: Digest): Promise<boolean> => {
    try {
      return (await documents.manifest(image, digest)) !== "absent";
    } catch (error) {
      if (isSourceFailure(error)) return true;
      throw error;
    }
  };

  return {
    refuseTag({ repository, source }, tag) {
      if (isOffline || !source) return;
      if (source.settings.onRemoved === "Deny") throw refusal({ repository, source, tag });
    },
    async requireAtSource({ image, repository, source }, digest) {
      if (source?.settings.onRemoved !== "Deny" || isOffline) return;
      if (await isAtSource(image, digest)) return;
      const name = nameAt(source, image);
      const kind = "removed-image";
      const key = {
        protocol: "oci",
        source: contentKeyOf(source),
        kind,
        name,
        part: digest,
      } as const;
      const since = await noteDenied(key);
      if (now().getTime() - since >= GONE_AFTER_MS) throw refusal({ repository, source, digest });
    },
  };
}

function refusal({
  repository,
  source,
  ...reference
}: {
  readonly repository: RepositoryName;
  readonly source: PackageSource;
  readonly tag?: string;
  readonly digest?: Digest;
}): Error {
  const version = reference.tag ?? reference.digest ?? "";
  const text = removedText({ name: repository, version, source: source.name });
  return refusedImage({ status: "denied", rule: "OnRemoved", text }, { repository, ...reference });
}

function readDenied(bytes: Uint8Array | undefined): Denied | undefined {
  if (!bytes) return undefined;
  const { since, last } = JSON.parse(Buffer.from(bytes).toString()) as Record<
    keyof Denied,
    unknown
  >;
  return typeof since === "number" && typeof last === "number" ? { since, last } : undefined;
}
