import { join } from "node:path";
import { openRegistryMirror, openSourceList } from "@sealhouse/upstream-sources";
import type { RegistryMirror } from "@sealhouse/upstream-sources";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";
import { openFetchForSources } from "./fetch-for-sources.ts";

/**
 * Opens the mirror of package sources.
 *
 * @throws RefusedSourceError
 */
export async function openMirrorOf(parts: {
  readonly config: Config;
  readonly resources: Pick<RegistryResources, "database" | "keyRing">;
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds to wait for a file that another instance transfers. Default 30 s. */
  readonly transferWaitMaxMs?: number;
}): Promise<RegistryMirror> {
  const { config, resources, ...options } = parts;
  const { database, keyRing } = resources;
  const { upstream, leases } = database;
  const { mirror } = config;
  return openRegistryMirror({
    ...upstream,
    ...options,
    list: openSourceList({ mirror, sources: upstream.sources, keyRing, ...options }),
    surroundings: sourceSurroundings(config.feed),
    registryId: await database.registryId(),
    leases,
    openFetch: openFetchForSources(config.host),
    folder: join(config.dataPath, "transfers"),
    isOffline: mirror.isOffline,
  });
}
