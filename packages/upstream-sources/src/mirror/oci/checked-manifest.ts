import type { Manifest } from "@sealhouse/oci-distribution";
import { isOciError, parseManifest } from "@sealhouse/oci-distribution";
import { OciClientError } from "@sealhouse/oci-distribution/client";
import type { FetchedManifest } from "@sealhouse/oci-distribution/client";

/** Reads a manifest of a source by the rules of a push. @throws {OciClientError} `malformed` */
export function checkedManifest(
  { bytes, mediaType }: Pick<FetchedManifest, "bytes" | "mediaType">,
  url: URL,
): Manifest {
  try {
    return parseManifest(bytes, mediaType);
  } catch (error) {
    if (!isOciError(error)) throw error;
    throw new OciClientError("malformed", { url, reason: error.message, cause: error });
  }
}
