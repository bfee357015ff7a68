import { join } from "node:path";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { createSourceList, openMirror, openStoredSources } from "@sealhouse/upstream-sources";
import type { Mirror, OpenFetch, PackageSource, SourceList } from "@sealhouse/upstream-sources";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import type { RegistryResources } from "./registry-resources.ts";

type MirrorOfParts = {
  readonly config: Config;
  readonly resources: Pick<RegistryResources, "database" | "keyRing">;
  readonly log: Log;
  readonly now: () => Date;
};

/** The mirror of a host. */
export type HostMirror = Mirror & {
  /** The sources, disabled ones too, of the last request for a package that may come from one. */
  knownSources(): readonly PackageSource[];
};

/**
 * Opens the mirror of package sources. It reads the sources of the database only when a client asks
 * for a package that may come from one, and every two seconds at most.
 */
export function openMirrorOf({ config, resources, log, now }: MirrorOfParts): HostMirror {
  const { database, keyRing } = resources;
  const { isEnabled, isOffline, sources: configured } = config.mirror;
  const stored = openStoredSources(database.upstream.sources, keyRing, reportOnce(log));
  const list = createSourceList({ stored: () => stored.list(), configured, now });
  let known = isEnabled ? configured : [];
  const sources: SourceList = {
    current: async () => (isEnabled ? (known = await list.current()) : []),
  };
  const mirror = openMirror({
    ...database.upstream,
    sources,
    leases: database.leases,
    openFetch: openFetchForSources,
    folder: join(config.dataPath, "transfers"),
    isOffline,
    now,
    onFailure: ({ source, error }) => log.warn({ source, err: error }, "a package source failed"),
  });
  return { ...mirror, knownSources: () => known };
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

/** `fetch` for calls to package sources. */
export const openFetchForSources: OpenFetch = (options) =>
  createOutgoingFetch({ ...options, setting: "AllowPrivateNetwork of the package source" });
