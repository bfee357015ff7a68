import { join } from "node:path";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { openMirror } from "@sealhouse/upstream-sources";
import type { Mirror } from "@sealhouse/upstream-sources";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import type { RegistryResources } from "./registry-resources.ts";
import { openSourceList } from "./source-list.ts";

type MirrorOfParts = {
  readonly config: Config;
  readonly resources: Pick<RegistryResources, "database" | "keyRing">;
  readonly log: Log;
  readonly now: () => Date;
};

/** Opens the mirror of package sources. It asks the database for sources only on a miss. */
export function openMirrorOf({ config, resources, log, now }: MirrorOfParts): Mirror {
  const { database } = resources;
  return openMirror({
    ...database.upstream,
    sources: openSourceList({ ...resources, now }),
    leases: database.leases,
    openFetch: (options) => createOutgoingFetch(options),
    folder: join(config.dataPath, "transfers"),
    isOffline: false,
    now,
    onFailure: ({ source, error }) => log.warn({ source, err: error }, "a package source failed"),
  });
}
