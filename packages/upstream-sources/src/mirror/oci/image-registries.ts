import type { OciClient } from "@sealhouse/oci-distribution/client";
import type { PackageSource } from "../../sources/package-source.ts";
import { openImageSource } from "../../sources/source-clients.ts";
import { rememberClients } from "../known-clients.ts";
import type { Mirror } from "../mirror.ts";
import { PATIENCE } from "../calls/patience.ts";

/** Clients of the registries that images are mirrored from. */
export type ImageRegistries = {
  /** Returns the same client, with its tokens, until the source changes. */
  of(source: PackageSource): OciClient;
};

export function createImageRegistries(
  mirror: Pick<Mirror, "fetchOf">,
  now: () => Date,
): ImageRegistries {
  return {
    of: rememberClients((source) =>
      openImageSource(source, { fetch: mirror.fetchOf(source), patience: PATIENCE, now }),
    ),
  };
}
