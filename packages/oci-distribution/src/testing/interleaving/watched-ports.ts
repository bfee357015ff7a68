import type { Leases } from "@sealhouse/jobs";
import type { GarbageCatalog, GarbageFiles, Holds } from "../../gc/ports.ts";
import type { BlobCatalog, BlobFiles, ManifestCatalog, OciPorts, StagedBlob } from "../../ports.ts";
import type { Inventory, Oracle } from "./oracle.ts";
import { paused } from "./scheduler.ts";

/** A registry to be proved. Only `look` may not change a thing. */
export type RegistryPorts = Pick<OciPorts, "blobs" | "manifests" | "uploads"> & {
  readonly files: BlobFiles & GarbageFiles;
  readonly garbage: GarbageCatalog;
  readonly holds: Holds;
  readonly leases: Leases;
};
export type SimulatedRegistry = RegistryPorts & {
  readonly look: () => Inventory | Promise<Inventory>;
};

export type Observers = {
  readonly pause: () => Promise<void>;
  readonly oracle: Oracle;
  /** Something may have changed. */
  readonly changed: () => void;
};

/**
 * The same ports, with a pause before each call; the oracle observes each answer before any other
 * task runs.
 */
export function watchedPorts(registry: RegistryPorts, watch: Observers): RegistryPorts {
  const { pause, changed } = watch;
  return {
    blobs: watchedBlobs(registry.blobs, watch),
    manifests: watchedManifests(registry.manifests, watch),
    uploads: {
      ...paused(registry.uploads, pause),
      // Called while the blob is named; a task can be at one place only.
      take: (...args) => registry.uploads.take(...args),
    },
    files: watchedFiles(registry.files, watch),
    garbage: {
      runs: paused(registry.garbage.runs, pause, changed),
      marks: paused(registry.garbage.marks, pause, changed),
      sweeps: paused(registry.garbage.sweeps, pause, changed),
      reports: paused(registry.garbage.reports, pause, changed),
    },
    leases: paused(registry.leases, pause),
    holds: registry.holds,
  };
}

function watchedBlobs(blobs: BlobCatalog, { pause, oracle, changed }: Observers): BlobCatalog {
  return {
    async find(repository, digest) {
      await pause();
      const blob = await blobs.find(repository, digest);
      if (blob) oracle.promisedBlob(repository, digest);
      return blob;
    },
    async isKnown(digest) {
      await pause();
      return blobs.isKnown(digest);
    },
    async link(repository, blob) {
      await pause();
      const linked = await blobs.link(repository, blob);
      oracle.promisedBlob(repository, blob.digest);
      changed();
      return linked;
    },
    async mount(repository, digest, from) {
      await pause();
      const isMounted = await blobs.mount(repository, digest, from);
      if (isMounted) oracle.promisedBlob(repository, digest);
      changed();
      return isMounted;
    },
    async unlink(repository, digest) {
      await pause();
      const outcome = await blobs.unlink(repository, digest);
      if (outcome === "unlinked") oracle.unlinked(repository, digest);
      changed();
      return outcome;
    },
  };
}

function watchedManifests(
  manifests: ManifestCatalog,
  { pause, oracle, changed }: Observers,
): ManifestCatalog {
  return {
    ...manifests,
    async find(repository, reference) {
      await pause();
      const manifest = await manifests.find(repository, reference);
      if (manifest) oracle.foundManifest(repository, manifest.digest);
      return manifest;
    },
    async record(manifest, caller) {
      await pause();
      const outcome = await manifests.record(manifest, caller);
      if (outcome.status === "missing") oracle.refused(manifest.repository, outcome.digests);
      if (outcome.status === "recorded" || outcome.status === "unchanged") {
        oracle.recorded(manifest);
      }
      changed();
      return outcome;
    },
    async deleteTag(repository, tag, caller) {
      await pause();
      const outcome = await manifests.deleteTag(repository, tag, caller);
      if (outcome === "deleted") oracle.deletedTag(repository, tag);
      return outcome;
    },
    async deleteManifest(repository, digest, caller) {
      await pause();
      const outcome = await manifests.deleteManifest(repository, digest, caller);
      if (outcome === "deleted") oracle.deletedManifest(repository, digest);
      changed();
      return outcome;
    },
  };
}

function watchedFiles(
  files: BlobFiles & GarbageFiles,
  { pause, changed }: Observers,
): BlobFiles & GarbageFiles {
  const watched = (staged: StagedBlob): StagedBlob => ({
    size: staged.size,
    digests: staged.digests,
    read: (range) => staged.read(range),
    async keep() {
      await pause();
      const savedBlob = await staged.keep();
      const discard = async () => {
        await pause();
        await savedBlob.discard();
        changed();
      };
      return { ...savedBlob, discard };
    },
    [Symbol.asyncDispose]: () => staged[Symbol.asyncDispose](),
  });
  return {
    ...paused(files, pause, changed),
    async stage(body, options) {
      await pause();
      return watched(await files.stage(body, options));
    },
    async assemble(...upload) {
      await pause();
      return watched(await files.assemble(...upload));
    },
    open: (blob) => files.open(blob),
  };
}
