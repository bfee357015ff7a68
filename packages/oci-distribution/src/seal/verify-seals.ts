import type { StoredManifest } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import { isUnderCosignTag } from "./cosign-image.ts";
import { isSealedForNotation } from "./notation-signature.ts";
import type { SealFormat, SealPorts } from "./ports.ts";
import { hasOurBundle } from "./sigstore-bundle.ts";

const CHECKS = [
  ["cosign", isUnderCosignTag],
  ["bundle", hasOurBundle],
  ["notation", isSealedForNotation],
] as const;

/** The formats in which clients find a signature by the keys of the moment, each verified now: what
 * sealing would not make again. */
export async function verifiedSeals(
  ports: SealPorts,
  repository: RepositoryName,
  manifest: StoredManifest,
): Promise<readonly SealFormat[]> {
  const { digest, mediaType, bytes } = manifest;
  const subject = { repository, digest, mediaType, size: bytes.length };
  const formats: SealFormat[] = [];
  for (const [format, isThere] of CHECKS) if (await isThere(ports, subject)) formats.push(format);
  return formats;
}
