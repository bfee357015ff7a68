import type { Digest } from "../digest.ts";
import { algorithmOf, digestOf, isDigest } from "../digest.ts";
import { OciError } from "../errors.ts";

/** The parts of an image-spec descriptor that a registry looks at. */
export type Descriptor = {
  readonly mediaType: string;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
};

/** Throws `MANIFEST_INVALID` that names `where` (`layers[2]`). Unknown fields are left alone. */
export function parseDescriptor(value: unknown, where: string): Descriptor {
  if (!isObject(value)) throw invalid(`${where} is not a descriptor`);
  const { mediaType, digest, size, data } = value;
  if (typeof mediaType !== "string" || mediaType === "") {
    throw invalid(`${where} has no mediaType`);
  }
  if (typeof digest !== "string" || !isDigest(digest)) {
    throw invalid(`${where} has no SHA-256 or SHA-512 digest`);
  }
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
    throw invalid(`${where} has no size, or one that is not a whole number of bytes`);
  }
  if (data !== undefined) checkData({ digest, size, data }, where);
  return { mediaType, digest, size };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function invalid(reason: string, cause?: unknown): OciError {
  return new OciError("MANIFEST_INVALID", { message: `manifest invalid: ${reason}`, cause });
}

function checkData(
  { digest, size, data }: { digest: Digest; size: number; data: unknown },
  where: string,
): void {
  const bytes = typeof data === "string" ? Buffer.from(data, "base64") : undefined;
  if (!bytes || bytes.toString("base64") !== data) {
    throw invalid(`${where} has data that is not base64`);
  }
  if (bytes.length !== size || digestOf(bytes, algorithmOf(digest)) !== digest) {
    throw invalid(`${where} has data that does not match its size and digest`);
  }
}
