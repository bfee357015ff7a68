import type { VerifyBundle } from "@sealhouse/npm-protocol";
import { mirroredNpm } from "@sealhouse/upstream-sources";
import type { Mirror, MirroredNpm } from "@sealhouse/upstream-sources";
import { SYSTEM } from "@sealhouse/events";
import type { Config } from "../settings/config.ts";
import type { RegistryResources } from "./registry-resources.ts";

type MirroredNpmParts = Pick<RegistryResources, "database" | "blobs" | "npmSignatures"> & {
  readonly config: Config;
  readonly mirror: Mirror;
  readonly verifyBundle: VerifyBundle;
  readonly now: () => Date;
};

/** The npm packages of this registry and of its sources. */
export function openMirroredNpm(parts: MirroredNpmParts): MirroredNpm {
  const { config, mirror, database, blobs, npmSignatures, verifyBundle, now } = parts;
  return mirroredNpm({
    mirror,
    lookup: database.npm.lookup,
    adopt: { files: blobs.npm, recorder: npmSignatures.recorder, verifyBundle },
    caller: SYSTEM,
    tarballBytesMax: config.feed.npm.maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
    now,
  });
}
