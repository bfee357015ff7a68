import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { imageFiles } from "@sealhouse/feed";
import { segmentOf } from "@sealhouse/oci-distribution";
import type { ImageSources } from "@sealhouse/oci-distribution";
import type { FillPorts } from "@sealhouse/upstream-sources/bundle";
import { createLog } from "../log.ts";
import { openMirrorOf } from "../wiring/mirror.ts";
import type { HostMirror } from "../wiring/mirror.ts";
import { openMirrored } from "../wiring/mirrored.ts";
import { surfacesOf } from "../wiring/mirrored-images.ts";
import { openBundleVerification } from "../wiring/npm-provenance.ts";
import { openResources } from "../wiring/registry-resources.ts";
import type { RegistryResources } from "../wiring/registry-resources.ts";
import type { Command } from "./command.ts";
import { clockOf } from "./signing-feed.ts";

/** The parts of the host that fetch from package sources, for commands. Disposal ends transfers. */
export type CommandMirror = AsyncDisposable & {
  readonly resources: RegistryResources;
  readonly ports: FillPorts;
  readonly images: Pick<ImageSources, "repositoryAt">;
  /** Whether a source may be asked. */
  canFetch(): Promise<boolean>;
  /** Waits for documents that are fetched in the background. */
  settled(): Promise<void>;
};

/** A host may transfer a large file for a client. */
const TRANSFER_WAIT_MAX_MS = 60 * 60_000;

/** Opens the same lookups that requests of clients use. */
export async function openCommandMirror(command: Command): Promise<CommandMirror> {
  const { config } = command.load();
  const now = clockOf(command);
  const log = createLog(config.host.log, (line) => command.stderr(line.trimEnd()));
  const verifyBundle = await openBundleVerification(config.feed.npm.trustedRoot);
  await using opened = new AsyncDisposableStack();
  const { extensions } = command;
  const resources = opened.use(await openResources(config, { log, extensions, now }));
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

async function hasSources(mirror: HostMirror): Promise<boolean> {
  for (const protocol of ["nuget", "npm", "oci"] as const) {
    if ((await mirror.upstreams(protocol)).length > 0) return true;
  }
  return false;
}
