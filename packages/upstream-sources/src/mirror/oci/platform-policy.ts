import type { Digest } from "@sealhouse/oci-distribution";

/** Platform of attestations, which belong to images of all platforms. */
const ATTESTATION = "unknown";

/**
 * Returns true if a manifest may be mirrored: an index lists it for an allowed operating system, or
 * for none, or no index lists it. Indexes never change, because that would change their digest.
 */
export function isAllowedPlatform(
  indexes: readonly Uint8Array[],
  digest: Digest,
  allowedOs: readonly string[],
): boolean {
  if (allowedOs.length === 0) return true;
  const systems = indexes.flatMap((bytes) => systemsOf(bytes, digest));
  return systems.length === 0 || systems.some((os) => os === ATTESTATION || allowedOs.includes(os));
}

type Entry = { readonly digest?: unknown; readonly platform?: { readonly os?: unknown } | null };

/** The indexes were checked when they were recorded. */
function systemsOf(bytes: Uint8Array, digest: Digest): readonly string[] {
  const index = JSON.parse(Buffer.from(bytes).toString()) as {
    readonly manifests?: Entry[] | null;
  };
  const entries = (index.manifests ?? []).filter((entry) => entry.digest === digest);
  return entries.map(({ platform }) => {
    const os = platform?.os;
    return typeof os === "string" && os !== "" ? os.toLowerCase() : ATTESTATION;
  });
}
