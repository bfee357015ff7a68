import { join } from "node:path";
import { openMirror, refuseExposed } from "@sealhouse/upstream-sources";
import type { Mirror, PackageSource, SourceList } from "@sealhouse/upstream-sources";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import { sourceSurroundings } from "@sealhouse/upstream-sources/settings";
import { openFetchForSources } from "./fetch-for-sources.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";
import { openSourceList } from "../resources/source-list.ts";

type MirrorOfParts = {
  readonly config: Config;
  readonly resources: Pick<RegistryResources, "database" | "keyRing">;
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds to wait for a file that another instance transfers. Default 30 s. */
  readonly transferWaitMaxMs?: number;
};

/** The mirror of a host. */
export type HostMirror = Mirror & {
  /** The sources, disabled ones too, of the last request for a package that may come from one. */
  knownSources(): readonly PackageSource[];
  /** Makes the next request read the sources of the database. */
  refreshSources(): void;
};

/**
 * Opens the mirror of package sources. It reads the sources of the database now, and when a client
 * asks for a package that may come from one, every two seconds at most.
 * @throws RefusedSourceError
 */
export async function openMirrorOf(parts: MirrorOfParts): Promise<HostMirror> {
  const { config, resources, log, now, transferWaitMaxMs } = parts;
  const { database, keyRing } = resources;
  const { isOffline } = config.mirror;
  const list = openSourceList({ config, database, keyRing, now }, reportOnce(log));
  let known = await list.current();
  refuseExposed(known, sourceSurroundings(config.feed));
  const sources: SourceList = {
    current: async () => (known = await list.current()),
  };
  const mirror = openMirror({
    ...database.upstream,
    sources,
    registryId: await database.registryId(),
    leases: database.leases,
    openFetch: openFetchForSources(config.host),
    folder: join(config.dataPath, "transfers"),
    isOffline,
    ...(transferWaitMaxMs !== undefined && { transferWaitMaxMs }),
    now,
    onFailure: ({ source, error }) => log.warn({ source, err: error }, "a package source failed"),
  });
  return { ...mirror, knownSources: () => known, refreshSources: () => list.refresh() };
}

/** The list of sources is read often. */
function reportOnce(log: Log): (source: string, error: unknown) => void {
  const reported = new Set<string>();
  return (source, error) => {
    if (reported.has(source)) return;
    reported.add(source);
    log.error({ source, err: error }, "could not decrypt the credentials of a package source");
  };
}
