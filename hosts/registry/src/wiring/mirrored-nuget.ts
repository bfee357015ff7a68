import { createNuGetMirror } from "@sealhouse/upstream-sources";
import type { Mirror, NuGetMirror } from "@sealhouse/upstream-sources";
import type { Config } from "../settings/config.ts";
import type { RegistryResources } from "./registry-resources.ts";

type MirroredNuGetParts = Pick<RegistryResources, "database" | "blobs" | "signing"> & {
  readonly config: Config;
  readonly mirror: Mirror;
  readonly now: () => Date;
};

/** The NuGet packages of this registry and of its sources. */
export function openMirroredNuGet(parts: MirroredNuGetParts): NuGetMirror {
  const { config, mirror, database, blobs, signing, now } = parts;
  const { lookup, recorder } = database.nuget;
  return createNuGetMirror({
    mirror,
    ports: { lookup, recorder, files: blobs.nuget, sealer: signing },
    isAsReceived: config.signing.mode === "off",
    packageBytesMax: config.feed.nuget.maxPackageBytes,
    now,
  });
}
