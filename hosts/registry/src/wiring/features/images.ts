import { hkdfSync } from "node:crypto";
import { SYSTEM } from "@sealhouse/events";
import { imageFiles, tagRetentionPorts } from "@sealhouse/feed";
import { connectionOfIncoming } from "@sealhouse/http-server";
import type { Surface } from "@sealhouse/http-server";
import { authorizeImage, createImageAuthorize, createImageTokens } from "@sealhouse/identity";
import type { Job } from "@sealhouse/jobs";
import {
  createFastPath,
  createOciApp,
  createPullCounter,
  createUploadIds,
  garbageJob,
  isOwned,
  segmentOf,
  tagRetentionJob,
} from "@sealhouse/oci-distribution";
import type { FastPath, OciPorts, PullCounter, UploadIds } from "@sealhouse/oci-distribution";
import { segmentNames } from "@sealhouse/oci-distribution/settings";
import type { OciConfig, OciSealConfig } from "@sealhouse/oci-distribution/settings";
import { createBlobMemory, readSmall } from "@sealhouse/storage-providers";
import type { Hono } from "hono";
import type { Core } from "../core.ts";
import type { FeatureModule } from "../feature.ts";
import { imagePages } from "../pages/images.ts";
import { createSealing } from "./image-sealing.ts";

/** Container images: their registry and its segments, seals, retention and garbage collection. */
export const images: FeatureModule = {
  isOn: ({ feed }) => feed.oci.enabled,
  async open(core) {
    const { ociSeal } = core.config;
    const sealing = ociSeal && (await openSealing(core, ociSeal));
    const now = () => core.now().getTime();
    const startsPull = createPullCounter(now);
    const uploadIds = createUploadIds({ key: uploadKeyOf(core), now });
    const shared = { startsPull, uploadIds };
    return {
      protocol: "oci",
      surfaces: surfacesOf(core.config.feed.oci),
      apps: { oci: openApp(core, shared) },
      shortcuts: { images: openFastPath(core, shared) },
      pages: (page) => imagePages(core, sealing?.keys, page),
      jobs: jobsOf(core),
      consumers: sealing ? [sealing.consumer] : [],
    };
  },
};

/** The keys of the signing of images, and its consumer of events. */
async function openSealing(core: Core, seal: OciSealConfig) {
  const sealing = await createSealing(core, seal);
  const { openSealConsumer } = await import("@sealhouse/oci-distribution/seal");
  return { keys: sealing.keys, consumer: openSealConsumer({ ...sealing, log: core.log }) };
}

/** Configurations and small layers that are read again and again; filled only by those. */
const SMALL_BLOB_MEMORY_BYTES = 8 * 1024 * 1024;

const KEY_BYTES = 32;

/** Shared by the app and its fast path. */
type Shared = { readonly startsPull: PullCounter; readonly uploadIds: UploadIds };

/** The way past the router for what needs no more than a look. */
function openFastPath(core: Core, shared: Shared): FastPath {
  const { database, blobs } = core.resources;
  const { rules } = core.access;
  const { manifests, sources, past } = core.content.mirrored.images;
  const { oci } = core.config.feed;
  const surfaces = { segments: segmentNames(oci), hasDefault: oci.hasDefault };
  const memory = createBlobMemory(blobs.oci, { bytesMax: SMALL_BLOB_MEMORY_BYTES });
  return createFastPath({
    blobs: database.oci.blobs,
    manifests,
    sources,
    isPresent: ({ key }) => blobs.oci.isPresent(key),
    bytesOf: (blob) => readSmall(memory, blob),
    authorize(incoming, imageRequest) {
      const connection = connectionOfIncoming(incoming);
      const headers = { get: (name: string) => connection.header(name) ?? null };
      const context = rules.contexts.ofIncoming(incoming, connection);
      return authorizeImage(rules, imageRequest, { headers, context });
    },
    requestId: (incoming) => rules.contexts.ofIncoming(incoming).id,
    count: counterOf(core),
    ...shared,
    owns: (name) => isOwned(surfaces, name),
    past,
  });
}

function openApp(core: Core, shared: Shared): Hono {
  const { name, oci } = core.config.feed;
  const { maxBlobBytes, uploadExpiryMs, hasDefault, allowsSparseIndexes } = oci;
  return createOciApp(portsOf(core), {
    unavailable: core.unavailable,
    service: name,
    segments: segmentNames(oci),
    hasDefault,
    uploadExpiryMs,
    allowsSparseIndexes,
    ...shared,
    maxBlobBytes,
  });
}

function uploadKeyOf({ access }: Core): Uint8Array {
  const purpose = "sealhouse/oci/uploads/v1";
  return new Uint8Array(hkdfSync("sha256", access.pepper, "", purpose, KEY_BYTES));
}

function portsOf(core: Core): OciPorts {
  const { database, blobs } = core.resources;
  const { rules } = core.access;
  return {
    ...core.content.mirrored.images,
    uploads: database.oci.uploads,
    files: imageFiles(blobs.oci, { redirects: core.config.storage.redirectsDownloads }),
    authorize: createImageAuthorize(rules),
    tokens: createImageTokens(rules),
    address(request, env) {
      const { oci, base, cacheable } = rules.contexts.of(request, env).publicAddress;
      return oci ? { ...oci, cacheable } : { base, cacheable };
    },
    count: counterOf(core),
  };
}

function counterOf({ config, metrics }: Core): OciPorts["count"] {
  const segments = segmentNames(config.feed.oci);
  return (what, repository) => {
    metrics.count("oci", what);
    metrics.countSegment(segmentOf(segments, repository), what);
  };
}

function jobsOf({ config, resources, metrics, log, now }: Core): readonly (Job | undefined)[] {
  const { database, blobs } = resources;
  const { leases } = database;
  return [
    tagRetentionJob({
      ports: tagRetentionPorts(database),
      leases,
      feed: config.feed.name,
      ociTags: config.ociTags,
      caller: SYSTEM,
      log,
      now,
    }),
    garbageJob({
      config,
      catalog: database.oci.garbage,
      leases,
      files: blobs.oci,
      now,
      log,
      onEnd: (run) => metrics.garbage.ended(run),
    }),
  ];
}

function surfacesOf({ hasDefault, segments }: OciConfig): readonly Surface[] {
  const protocol = "Oci";
  const named = segments.map(
    ({ name }) =>
      ({
        surfaceId: `oci-${name}`,
        protocol,
        ociSegment: name,
        routePrefix: `/${name}`,
      }) as const,
  );
  if (!hasDefault) return named;
  return [{ surfaceId: "oci-default", protocol, ociSegment: null, routePrefix: "" }, ...named];
}
