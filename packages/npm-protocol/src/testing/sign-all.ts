import { signMissing } from "../signatures/sign-missing.ts";
import { createVersionSigner, ensureKey } from "../signatures/version-signer.ts";
import type { MemoryNpmPorts } from "./memory-ports.ts";

/** Makes a key, signs what is not signed yet, and announces the key. */
export async function signAll({ signingKeys: keys, unsigned: versions }: MemoryNpmPorts) {
  const protection = { seal: (key: Uint8Array) => key, open: async (key: Uint8Array) => key };
  const parts = { keys, protection, now: () => new Date() };
  await ensureKey(parts);
  const sign = createVersionSigner(parts);
  await signMissing({ keys, versions, sign }, { after: 0, pause: async () => {} });
}
