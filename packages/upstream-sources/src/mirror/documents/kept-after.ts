import { createHash } from "node:crypto";
import type { KeptDocument } from "../ports.ts";

/** Answer of a source to the question for a document. */
export type FetchedDocument =
  | {
      readonly status: "found";
      readonly bytes: Uint8Array;
      /** The same with gzip, where the source sent them so. */
      readonly gzip?: Uint8Array | undefined;
      readonly etag?: string | undefined;
      readonly lastModified?: string | undefined;
    }
  /** It is the document with the given validators. */
  | { readonly status: "unchanged" }
  | { readonly status: "absent" };

/** Headers of a document, from which a source knows whether it is unchanged. */
export type Validators = Pick<KeptDocument, "etag" | "lastModified">;

/** A document to keep. */
export type KeptChange = {
  readonly document: KeptDocument;
  /** Undefined where the kept bytes stay. */
  readonly bytes?: Uint8Array;
  /** Renderings of the document before are stale. */
  readonly isChanged: boolean;
};

/** A name counts as removed when the source denies it twice, with this time between. */
const GONE_AFTER_MS = 60 * 60_000;

/** Returns what to keep after an answer of the source at the time `checkedAt`. */
export function keptAfter(
  kept: KeptDocument | undefined,
  fetched: FetchedDocument,
  checkedAt: Date,
): KeptChange {
  const before = kept?.status === "found" ? kept : undefined;
  switch (fetched.status) {
    case "absent": {
      if (!before || isGone(before, checkedAt)) {
        const document = { status: "absent", revision: "", checkedAt } as const;
        return { document, isChanged: before !== undefined };
      }
      const goneSince = before.goneSince ?? checkedAt;
      return { document: { ...before, checkedAt, goneSince }, isChanged: false };
    }
    case "unchanged": {
      if (!before) throw new Error("a source answered 304 to a first question");
      const { goneSince: _, ...document } = before;
      return { document: { ...document, checkedAt }, isChanged: false };
    }
    case "found": {
      const { bytes, etag, lastModified } = fetched;
      const revision = createHash("sha256").update(bytes).digest("hex");
      const document: KeptDocument = {
        status: "found",
        revision,
        checkedAt,
        ...(etag !== undefined && { etag }),
        ...(lastModified !== undefined && { lastModified }),
      };
      return before?.revision === revision
        ? { document, isChanged: false }
        : { document, bytes, isChanged: true };
    }
  }
}

function isGone({ goneSince }: KeptDocument, now: Date): boolean {
  return goneSince !== undefined && now.getTime() - goneSince.getTime() >= GONE_AFTER_MS;
}
