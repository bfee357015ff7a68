import { randomBytes } from "node:crypto";
import type { KeyRing } from "../key-ring/key-ring.ts";
import { decrypt, encrypt, keyIdOf, NONCE_BYTES, ringKeyOf } from "../key-ring/protection.ts";

/** Keys of the process, as a key ring has them without a folder. */
export function createTestKeys(): Pick<KeyRing, "protect" | "unprotect"> {
  const key = ringKeyOf(randomBytes(32), "test");
  return {
    protect: (purpose, bytes) => encrypt({ key, purpose, nonce: randomBytes(NONCE_BYTES) }, bytes),
    async unprotect(purpose, bytes) {
      keyIdOf(bytes);
      return decrypt(key, purpose, bytes);
    },
  };
}
