import type { StoredManifest } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import { sealForCosign } from "./cosign-image.ts";
import { sealForNotation } from "./notation-signature.ts";
import type { SealFormat, SealKeys, SealPorts } from "./ports.ts";
import { sealWithBundle } from "./sigstore-bundle.ts";

class NotSealedError extends Error {
  override readonly name = "NotSealedError";
}

const CHECKS = [
  ["cosign", sealForCosign],
  ["bundle", sealWithBundle],
  ["notation", sealForNotation],
] as const;

/**
 * The formats in which a signature by the keys of the moment is there, each verified now. It is the
 * way of sealing up to where it would sign, so nothing is written, and what one says the other
 * says.
 */
export async function verifiedSeals(
  ports: SealPorts,
  repository: RepositoryName,
  manifest: StoredManifest,
): Promise<readonly SealFormat[]> {
  const { digest, mediaType, bytes } = manifest;
  const subject = { repository, digest, mediaType, size: bytes.length };
  const looking = { ...ports, keys: withoutSigning(ports.keys) };
  const options = { registry: "", agent: "", caller: { actor: "nobody" } };
  const found: SealFormat[] = [];
  for (const [format, check] of CHECKS) {
    const isThere = await check(looking, subject, options).then(() => true, unlessNotSealed);
    if (isThere) found.push(format);
  }
  return found;
}

function withoutSigning(keys: SealKeys): SealKeys {
  const sign = async () => {
    throw new NotSealedError();
  };
  return {
    cosign: async () => ({ ...(await keys.cosign()), sign }),
    notation: async () => ({ ...(await keys.notation()), sign }),
  };
}

function unlessNotSealed(error: unknown): false {
  if (error instanceof NotSealedError) return false;
  throw error;
}
