import { SYSTEM } from "@sealhouse/events";
import { imageFiles, sealKeysOf } from "@sealhouse/feed";
import type { SealConsumer, SealingParts, SealKeys } from "@sealhouse/oci-distribution/seal";
import type { OciSealConfig } from "@sealhouse/oci-distribution/settings";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import { VERSION } from "../../version.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";
import { secureBaseUrl } from "../resources/signing.ts";

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

/** Opens the signing of images: its keys and its consumer of events; undefined when it is off. */
export async function openImageSealing(
  options: SealingOptions & { readonly log: Log },
): Promise<{ readonly keys: SealKeys; readonly consumer: SealConsumer } | undefined> {
  const { ociSeal } = options.config;
  if (!ociSeal) return undefined;
  const sealing = await createSealing(options, ociSeal);
  const { openSealConsumer } = await import("@sealhouse/oci-distribution/seal");
  return { keys: sealing.keys, consumer: openSealConsumer({ ...sealing, log: options.log }) };
}
