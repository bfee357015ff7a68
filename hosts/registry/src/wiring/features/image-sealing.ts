import { openImageSealing } from "@sealhouse/feed";
import { secureBaseUrl } from "@sealhouse/http-server";
import type { SealingParts } from "@sealhouse/oci-distribution/seal";
import type { OciSealConfig } from "@sealhouse/oci-distribution/settings";
import type { Config } from "../../settings/config.ts";
import { VERSION } from "../../version.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";

export function createSealing(
  {
    config,
    resources,
    now,
  }: {
    readonly config: Config;
    readonly resources: RegistryResources;
    readonly now: () => Date;
  },
  seal: OciSealConfig,
): Promise<SealingParts> {
  const { url, assumed } = secureBaseUrl({ ...config.feed, ...config.host });
  return openImageSealing(resources, {
    seal,
    serverName: config.host.serverName,
    agent: `sealhouse/${VERSION}`,
    registry: assumed ? "" : new URL(url).host,
    now,
  });
}
