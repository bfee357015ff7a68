import { SYSTEM } from "@sealhouse/events";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import type { SealConsumer } from "../sealing/seal-consumer.ts";
import { openSealConsumer } from "../sealing/seal-consumer.ts";
import { createSealKeys } from "../sealing/seal-keys.ts";
import type { SealingParts } from "../sealing/sealing.ts";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import type { OciSealConfig } from "@sealhouse/oci-distribution/settings";
import { VERSION } from "../version.ts";
import type { Holdings } from "./holdings.ts";
import { imageFiles } from "@sealhouse/feed";
import { secureBaseUrl } from "./signing.ts";

type SealingWanted = {
  readonly config: Config;
  readonly held: Holdings;
  readonly now: () => Date;
};

export function createSealing(
  { config, held, now }: SealingWanted,
  { formats, platforms }: OciSealConfig,
): SealingParts {
  const { database, blobs } = held;
  const { url, assumed } = secureBaseUrl(config);
  return {
    database,
    files: imageFiles(blobs.oci),
    keys: createSealKeys({ ...held, serverName: config.host.serverName, now }),
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

/** What the host seals images with; nothing where they are not served, or not sealed. Opens nothing
 * yet. */
export function openImageSealing(wanted: SealingWanted & { readonly log: Log }): {
  readonly sealKeys: SealKeys | undefined;
  readonly consumers: readonly SealConsumer[];
} {
  const { feed, ociSeal } = wanted.config;
  if (!feed.oci.enabled || !ociSeal) return { sealKeys: undefined, consumers: [] };
  const sealing = createSealing(wanted, ociSeal);
  return {
    sealKeys: sealing.keys,
    consumers: [openSealConsumer({ ...sealing, log: wanted.log })],
  };
}
