/** Hashes that we computed over a tarball, lower-case hex. */
export type TarballDigests = { readonly sha1: string; readonly sha512: string };

/** Subresource integrity as packuments carry it: `sha512-` and standard base64. */
export function integrityOf(digests: Pick<TarballDigests, "sha512">): string {
  return `sha512-${Buffer.from(digests.sha512, "hex").toString("base64")}`;
}

/**
 * Whether a client's `dist.integrity` fits the bytes. It may name several hashes; the ones we know
 * must all fit, and one of them must be known. Options after `?` are ignored, as the standard says.
 */
export function fitsIntegrity(claimed: string, digests: TarballDigests): boolean {
  const knownHashes = claimed
    .trim()
    .split(/\s+/)
    .map((entry) => /^(sha1|sha512)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(entry))
    .filter((match) => match !== null);
  return (
    knownHashes.length > 0 &&
    knownHashes.every(([, algorithm, base64 = ""]) => {
      const hex = Buffer.from(base64, "base64").toString("hex");
      return hex === (algorithm === "sha1" ? digests.sha1 : digests.sha512);
    })
  );
}
