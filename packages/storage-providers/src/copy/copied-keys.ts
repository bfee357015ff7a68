import type { ObjectKey } from "../object-store.ts";
import { STORE_MARKER } from "../store-marker.ts";

/** Objects of running requests (probes, bodies without a final key, parts of uploads), and copies
 * of signed packages, which any host makes again. */
const OF_REQUESTS = /^health\/|^nuget\/signed\/|^[^/]+\/(?:staging|uploads)\//;
/** A generation follows the digest. */
const DIGEST = /\/sha256\/[0-9a-f]{2}\/([0-9a-f]{64})\.[^/]+$/;

/** Whether a copy of a store contains the object. The marker of the store comes separately. */
export function isCopied(key: ObjectKey): boolean {
  return key !== STORE_MARKER && !OF_REQUESTS.test(key);
}

/** Returns `sha256:<hex>` of a key that contains it. */
export function digestInKey(key: ObjectKey): string | undefined {
  const [, hex] = DIGEST.exec(key) ?? [];
  return hex === undefined ? undefined : `sha256:${hex}`;
}
