import type { Digest } from "../../digest.ts";

/** Result for one object that must be at the target. */
export type CopiedItem = {
  readonly kind: "blob" | "manifest" | "tag";
  readonly digest: Digest;
  /** Bytes; of a tag, none. */
  readonly size: number;
  readonly tag?: string;
  readonly outcome:
    | "moved"
    /** It was there already. */
    | "skipped"
    /** The target took it over from another of its repositories. */
    | "mounted"
    /** A layer that may not be given away, and stays where it says. */
    | "foreign"
    /** A tag that leads elsewhere at the target, and was left alone. */
    | "kept";
};

export type CopyReport = {
  /** Descriptor of the requested manifest. */
  readonly digest: Digest;
  readonly items: readonly CopiedItem[];
  /** Bytes of blobs and manifests. */
  readonly bytes: { readonly moved: number; readonly skipped: number; readonly mounted: number };
};

export function reportOf(digest: Digest, items: readonly CopiedItem[]): CopyReport {
  const bytes = { moved: 0, skipped: 0, mounted: 0 };
  for (const { outcome, size } of items) {
    if (outcome === "moved" || outcome === "skipped" || outcome === "mounted") {
      bytes[outcome] += size;
    }
  }
  return { digest, items, bytes };
}

export type CopyErrorCode =
  /** The source has no such manifest. */
  | "absent"
  /** Something that the manifest names is not at the source. */
  | "incomplete"
  /** The source's manifest is none. */
  | "invalid"
  /** The tag leads elsewhere at the target, and may not be moved. */
  | "tag-taken"
  /** The target does not have what it took. */
  | "unconfirmed";

/** An image cannot be copied without a change; failures of transfers are an `OciClientError`. */
export class CopyError extends Error {
  override readonly name = "CopyError";
  readonly code: CopyErrorCode;

  constructor(code: CopyErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Whether an error says that an image cannot be copied without a change. */
export function isCopyError(error: unknown): error is CopyError {
  return error instanceof CopyError;
}
