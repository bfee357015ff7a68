import { createHash } from "node:crypto";
import type { PackageBytes } from "../ports.ts";

/**
 * The same file, hashed while it is read from its beginning, so that its digest needs no second
 * pass. `sha256` reads what was not read in order.
 */
export function digestWhileRead(source: PackageBytes): {
  readonly file: PackageBytes;
  /** Lower-case hex. Call it once, after `file` was read. */
  sha256(): Promise<string>;
} {
  const hash = createHash("sha256");
  let hashed = 0;
  async function* reading(range?: { readonly start: number; readonly end: number }) {
    let start = range?.start ?? 0;
    for await (const chunk of source.read(range)) {
      const end = start + chunk.length;
      if (start <= hashed && hashed < end) {
        hash.update(chunk.subarray(hashed - start));
        hashed = end;
      }
      start = end;
      yield chunk;
    }
  }
  return {
    file: { size: source.size, read: reading },
    async sha256() {
      if (hashed < source.size) {
        for await (const chunk of source.read({ start: hashed, end: source.size - 1 })) {
          hash.update(chunk);
        }
      }
      return hash.digest("hex");
    },
  };
}
