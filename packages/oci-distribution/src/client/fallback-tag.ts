import type { Digest } from "../digest.ts";

const ALGORITHM_MAX = 32;
const ENCODED_MAX = 64;

/** Where clients keep referrers in a registry that does not: the "referrers tag schema". */
export function fallbackTagOf(digest: Digest): string {
  const [algorithm = "", encoded = ""] = digest.split(":");
  const legal = (text: string) => text.replaceAll(/[^A-Za-z0-9._-]/g, "-");
  return `${legal(algorithm).slice(0, ALGORITHM_MAX)}-${legal(encoded).slice(0, ENCODED_MAX)}`;
}

/** Where cosign keeps what belongs to a digest. */
export function attachedTagsOf(digest: Digest): readonly string[] {
  const tag = digest.replace(":", "-");
  return ["sig", "att", "sbom"].map((suffix) => `${tag}.${suffix}`);
}
