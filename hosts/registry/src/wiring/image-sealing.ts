import { randomBytes } from "node:crypto";
import { SYSTEM } from "@sealhouse/events";
import { imageFiles } from "@sealhouse/feed";
import { npmKeyProtection, openCurrentKey } from "@sealhouse/npm-protocol";
import type {
  PackageKey,
  SealConsumer,
  SealingParts,
  SealKeys,
} from "@sealhouse/oci-distribution/seal";
import type { OciSealConfig } from "@sealhouse/oci-distribution/settings";
import { createSharedFile } from "@sealhouse/storage-providers";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { VERSION } from "../version.ts";
import type { RegistryResources } from "./registry-resources.ts";
import { secureBaseUrl } from "./signing.ts";

type SealingOptions = {
  readonly config: Config;
  readonly resources: RegistryResources;
  readonly now: () => Date;
};

export async function createSealing(
  { config, resources, now }: SealingOptions,
  { formats, platforms }: OciSealConfig,
): Promise<SealingParts> {
  const { database, blobs } = resources;
  const { url, assumed } = secureBaseUrl(config);
  return {
    catalog: database.oci,
    leases: database.leases,
    files: imageFiles(blobs.oci),
    keys: await sealKeysOf(resources, { serverName: config.host.serverName, now }),
    options: {
      formats,
      registry: assumed ? "" : new URL(url).host,
      agent: `sealhouse/${VERSION}`,
      caller: SYSTEM,
    },
    platforms,
    now,
  };
}

/** Opens the signing of images: its keys and its consumer of events; empty when it is disabled. */
export async function openImageSealing(options: SealingOptions & { readonly log: Log }): Promise<{
  readonly sealKeys: SealKeys | undefined;
  readonly consumers: readonly SealConsumer[];
}> {
  const { feed, ociSeal } = options.config;
  if (!feed.oci.enabled || !ociSeal) return { sealKeys: undefined, consumers: [] };
  const sealing = await createSealing(options, ociSeal);
  const { openSealConsumer } = await import("@sealhouse/oci-distribution/seal");
  return {
    sealKeys: sealing.keys,
    consumers: [openSealConsumer({ ...sealing, log: options.log })],
  };
}

type KeyParts = {
  readonly signing: Pick<RegistryResources["signing"], "tools">;
  readonly database: {
    readonly npm: Pick<RegistryResources["database"]["npm"], "signingKeys">;
    readonly certificates: RegistryResources["database"]["certificates"];
  };
} & Pick<RegistryResources, "store" | "keyRing">;

/** The key of packages, or the key of npm's signatures. */
export async function sealKeysOf(
  parts: KeyParts,
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
  { signing, database }: Pick<KeyParts, "signing" | "database">,
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
