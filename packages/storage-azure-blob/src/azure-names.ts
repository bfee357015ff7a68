import { createKeyPrefix } from "@sealhouse/storage-providers/remote";
import type { KeyPrefix } from "@sealhouse/storage-providers/remote";

/**
 * Converts keys to blob names. Azure advises against path segments that end with a dot, because
 * some clients remove it; such a segment gets a `=`, which no key contains.
 */
export function azureNames(prefix: string | undefined): KeyPrefix {
  const names = createKeyPrefix(prefix);
  return {
    nameOf: (key) => names.nameOf(key).replaceAll(/\.(?=\/|$)/g, ".="),
    // The last segment of a prefix may continue after its dot.
    listed: (keyPrefix) => names.listed(keyPrefix).replaceAll("./", ".=/"),
    keyOf: (name) => names.keyOf(name.replaceAll(/\.=(?=\/|$)/g, ".")),
  };
}
