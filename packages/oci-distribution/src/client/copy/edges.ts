import { OciError } from "../../errors.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import type { ManifestEdge } from "../../ports.ts";
import { CopyError } from "./copied.ts";
import type { SourceManifest } from "./ports.ts";

/** Returns what a manifest of a source names. */
export function edgesOf({ digest, bytes, mediaType }: SourceManifest): readonly ManifestEdge[] {
  try {
    return parseManifest(bytes, mediaType).edges;
  } catch (error) {
    if (!(error instanceof OciError)) throw error;
    throw new CopyError("invalid", `${digest}: ${error.message}.`, error);
  }
}
