import { createHash } from "node:crypto";
import type { Digest } from "@sealhouse/oci-distribution";
import { isDigest } from "@sealhouse/oci-distribution";
import { contentKeyOf } from "../../sources/package-source.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import type { DocumentKey, KeptDocuments } from "../ports.ts";
import { nameAt } from "./image-locator.ts";
import type { WantedImage } from "./image-locator.ts";

export type MovedTag = {
  readonly image: WantedImage;
  readonly source: PackageSource;
  readonly tag: string;
  /** The manifest that the tag points to here. */
  readonly current: Digest;
  /** The manifest that it points to at the source. */
  readonly digest: Digest;
};

/** Remembers to which manifests a tag has moved while they are held back. */
export type TagMoves = {
  /** Returns the manifests to which the tag moved after `current`, oldest first. */
  note(moved: MovedTag): Promise<readonly Digest[]>;
};

/** Without the newest ones beyond it: then a tag that moves often still becomes newer. */
const MOVES_MAX = 100;

type Kept = { readonly from: Digest; readonly to: readonly Digest[] };

export function createTagMoves({
  documents,
  now,
}: {
  readonly documents: Pick<KeptDocuments, "bytes" | "put">;
  readonly now: () => Date;
}): TagMoves {
  return {
    async note(moved) {
      const key = keyOf(moved);
      const kept = readKept(await documents.bytes(key));
      const next = movesAfter(kept, moved);
      if (JSON.stringify(next) === JSON.stringify(kept)) return next.to;
      const bytes = Buffer.from(JSON.stringify(next));
      const revision = createHash("sha256").update(bytes).digest("hex");
      await documents.put(key, { status: "found", revision, checkedAt: now(), bytes }, []);
      return next.to;
    },
  };
}

function movesAfter(kept: Kept | undefined, { current, digest }: MovedTag): Kept {
  const before = kept && [kept.from, ...kept.to];
  const position = before?.indexOf(current) ?? -1;
  // The tag moved otherwise in the meantime.
  if (!before || position === -1) return { from: current, to: [digest] };
  const to = before.slice(position + 1);
  const isFull = to.length >= MOVES_MAX;
  return { from: current, to: to.includes(digest) || isFull ? to : [...to, digest] };
}

function keyOf({ image, source, tag }: MovedTag): DocumentKey {
  const name = nameAt(source, image);
  return { protocol: "oci", source: contentKeyOf(source), kind: "tag-moves", name, part: tag };
}

function readKept(bytes: Uint8Array | undefined): Kept | undefined {
  if (!bytes) return undefined;
  const { from, to } = JSON.parse(Buffer.from(bytes).toString()) as Record<keyof Kept, unknown>;
  if (typeof from !== "string" || !isDigest(from) || !Array.isArray(to)) return undefined;
  return { from, to: to.filter((digest) => typeof digest === "string" && isDigest(digest)) };
}
