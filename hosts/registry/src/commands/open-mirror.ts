import type { CommandMirror } from "@sealhouse/command-line";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { imageFiles } from "@sealhouse/feed";
import { segmentOf } from "@sealhouse/oci-distribution";
import { openMirrorOf } from "../wiring/content/mirror.ts";
import type { RegistryMirror } from "@sealhouse/upstream-sources";
import { openMirrored } from "../wiring/content/mirrored.ts";
import { surfacesOf } from "../wiring/content/mirrored-images.ts";
import { openBundleVerification } from "@sealhouse/npm-protocol";
import { logOf, openCommandResources } from "./command-resources.ts";
import type { HostCommand } from "./host-command.ts";

/** A host may transfer a large file for a client. */
const TRANSFER_WAIT_MAX_MS = 60 * 60_000;

/** Opens the same lookups that requests of clients use. */
export async function openCommandMirror(
  command: HostCommand,
  now: () => Date,
): Promise<CommandMirror> {
  const loaded = command.load();
  const { config } = loaded;
  const log = logOf(command, loaded);
  const verifyBundle = await openBundleVerification(config.feed.npm.trustedRoot);
  await using opened = new AsyncDisposableStack();
  const resources = opened.use(await openCommandResources(command, now));
  const mirror = opened.use(
    await openMirrorOf({ config, resources, log, now, transferWaitMaxMs: TRANSFER_WAIT_MAX_MS }),
  );
  const { npm, nuget, images } = openMirrored({
    config,
    resources,
    mirror,
    verifyBundle,
    log,
    now,
  });
  const { database, blobs } = resources;
  const surfaces = surfacesOf(config.feed.oci);
  const owned = opened.move();
  return {
    resources,
    ports: {
      nuget: {
        stored: database.nuget.lookup,
        provenance: database.nuget.provenance,
        upstream: nuget.upstream,
      },
      npm: { stored: database.npm.lookup, mirrored: npm },
      oci: {
        stored: database.oci,
        mirrored: images,
        files: imageFiles(blobs.oci),
        allowedOs: (repository) => surfaces.allowedOs(segmentOf(surfaces.segments, repository)),
      },
    },
    images: images.sources,
    canFetch: async () => !mirror.isOffline && (await hasSources(mirror)),
    settled: () => mirror.documents.settled(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function hasSources(mirror: RegistryMirror): Promise<boolean> {
  for (const protocol of ["nuget", "npm", "oci"] as const) {
    if ((await mirror.upstreams(protocol)).length > 0) return true;
  }
  return false;
}
