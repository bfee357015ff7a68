import { randomBytes } from "node:crypto";
import type { Database } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import { npmKeyProtection, openCurrentKey } from "@sealhouse/npm-protocol";
import type { PackageKey, SealKeys } from "@sealhouse/oci-distribution/seal";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";
import { createSharedFile } from "@sealhouse/storage-providers";
import type { ObjectStore } from "@sealhouse/storage-providers";

/** Keys of the registry that image signatures may use. */
export type SealKeyParts = {
  readonly signing: Pick<FeedSigning, "tools">;
  readonly database: Pick<Database, "certificates"> & {
    readonly npm: Pick<Database["npm"], "signingKeys">;
  };
  readonly store: ObjectStore;
  readonly keyRing: KeyRing;
};

/** Returns the keys of image signatures: the key of packages, or the key of npm's signatures. */
export async function sealKeysOf(
  parts: SealKeyParts,
  { serverName, now }: { readonly serverName: string; readonly now: () => Date },
): Promise<SealKeys> {
  const { createFeedSealKeys } = await import("@sealhouse/oci-distribution/seal");
  const { database, keyRing, store } = parts;
  const protection = npmKeyProtection(keyRing);
  return createFeedSealKeys({
    packageKey: () => packageKeyOf(parts, now),
    ownKey: () => openCurrentKey({ keys: database.npm.signingKeys, protection, now }),
    async selfIssue(privateKey, issued) {
      const { selfIssueP256 } = await import("@sealhouse/repo-signing");
      return selfIssueP256(privateKey, { ...issued, randomBytes });
    },
    file: (path) => createSharedFile(store, path),
    serverName,
    now,
  });
}

async function packageKeyOf(
  { signing, database }: Pick<SealKeyParts, "signing" | "database">,
  now: () => Date,
): Promise<PackageKey | undefined> {
  const signer = await (await signing.tools())?.signer();
  if (!signer) return undefined;
  const library = await import("@sealhouse/repo-signing");
  const { x509 } = library.usableCertificate(signer, now());
  return {
    chain: signer.chain,
    publicKey: x509.publicKey,
    signer(how) {
      const make = library.rsaSigner(signer, how);
      if (!make) return undefined;
      return async (data) => {
        // A certificate is listed before clients see its first signature.
        const [der] = signer.chain;
        if (der) await database.certificates.used(library.certificateRecordOf(der), now());
        return make(data);
      };
    },
  };
}
