import type { NuGetClient } from "@sealhouse/nuget-protocol/client";
import type { PackageSource } from "../../../sources/package-source.ts";
import { openNuGetSource } from "../../../sources/source-clients.ts";
import { rememberClients } from "../../known-clients.ts";
import type { Mirror } from "../../mirror.ts";
import { PATIENCE } from "../../calls/patience.ts";

/** Returns the client of a source: always the same, because it remembers the service index. */
export type ClientOf = (source: PackageSource) => NuGetClient;

export function createSourceClients(mirror: Pick<Mirror, "fetchOf">, now: () => Date): ClientOf {
  return rememberClients((source) =>
    openNuGetSource(source, { fetch: mirror.fetchOf(source), patience: PATIENCE, now }),
  );
}
