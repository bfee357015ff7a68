import { SYSTEM } from "@sealhouse/events";
import type { VerifyBundle } from "@sealhouse/npm-protocol";
import { mirroredNpm, mirroredNuGet } from "@sealhouse/upstream-sources";
import type { Mirror, MirroredNpm, MirroredNuGet } from "@sealhouse/upstream-sources";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { openMirrorOf } from "./mirror.ts";
import type { RegistryResources } from "./registry-resources.ts";

/** Lookups with the packages of other registries. Disposal ends calls and transfers. */
export type Mirrored = AsyncDisposable & {
  readonly mirror: Mirror;
  readonly npm: MirroredNpm;
  readonly nuget: MirroredNuGet;
};

type MirroredParts = {
  readonly config: Config;
  readonly resources: RegistryResources;
  readonly verifyBundle: VerifyBundle;
  readonly log: Log;
  readonly now: () => Date;
};

/** Opens the mirror and its lookups. */
export function openMirrored(parts: MirroredParts): Mirrored {
  const mirror = openMirrorOf(parts);
  return {
    mirror,
    npm: npmOf(parts, mirror),
    nuget: nugetOf(parts, mirror),
    [Symbol.asyncDispose]: () => mirror[Symbol.asyncDispose](),
  };
}

function npmOf({ config, resources, verifyBundle, now }: MirroredParts, mirror: Mirror) {
  const { database, blobs, npmSignatures } = resources;
  return mirroredNpm({
    mirror,
    lookup: database.npm.lookup,
    adopt: { files: blobs.npm, recorder: npmSignatures.recorder, verifyBundle },
    caller: SYSTEM,
    tarballBytesMax: config.feed.npm.maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
    now,
  });
}

function nugetOf({ config, resources, now }: MirroredParts, mirror: Mirror) {
  const { database, blobs, signing } = resources;
  const { lookup, recorder } = database.nuget;
  return mirroredNuGet({
    mirror,
    ports: { lookup, recorder, files: blobs.nuget, sealer: signing },
    caller: SYSTEM,
    isAsReceived: config.signing.mode === "off",
    packageBytesMax: config.feed.nuget.maxPackageBytes,
    now,
  });
}
