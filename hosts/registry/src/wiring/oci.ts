import { hkdfSync } from "node:crypto";
import type { FastPath, OciPorts, PullCounter, UploadIds } from "@sealhouse/oci-distribution";
import {
  createFastPath,
  createOciApp,
  createPullCounter,
  createUploadIds,
  isOwned,
  segmentOf,
} from "@sealhouse/oci-distribution";
import { createBlobMemory, readSmall } from "@sealhouse/storage-providers";
import type { Hono } from "hono";
import { connectionOfIncoming } from "@sealhouse/http-server";
import { authorizeImage, createImageAuthorize, createImageTokens } from "@sealhouse/identity";
import { imageFiles } from "@sealhouse/feed";
import { segmentNames } from "@sealhouse/oci-distribution/settings";
import type { Database } from "@sealhouse/database";
import type { DescribeUnavailable } from "@sealhouse/http-responses";
import type { Metrics } from "../metrics.ts";
import type { Config } from "../settings/config.ts";
import type { AccessRules } from "./access.ts";
import type { Mirrored } from "./mirrored.ts";
import type { RegistryResources } from "./registry-resources.ts";

/** Configurations and small layers that are read again and again; filled only by those. */
const SMALL_BLOB_MEMORY_BYTES = 8 * 1024 * 1024;

const KEY_BYTES = 32;

type OciParts = {
  readonly config: Config;
  readonly database: Pick<Database, "oci">;
  readonly blobs: Pick<RegistryResources["blobs"], "oci">;
  readonly rules: AccessRules;
  readonly mirrored: Pick<Mirrored, "images">;
  /** The key of upload ids is derived from it. */
  readonly pepper: string;
  readonly metrics: Pick<Metrics, "count" | "countSegment">;
  readonly unavailable: DescribeUnavailable;
  readonly now: () => Date;
};

/** Shared by the app and its fast path. */
type Shared = { readonly startsPull: PullCounter; readonly uploadIds: UploadIds };

/** The app, and the way past the router for what needs no more than a look. */
export function openOci(parts: OciParts): { readonly app: Hono; readonly fastPath: FastPath } {
  const now = () => parts.now().getTime();
  const startsPull = createPullCounter(now);
  const uploadIds = createUploadIds({ key: uploadKeyOf(parts), now });
  const shared = { startsPull, uploadIds };
  return { app: openOciApp(parts, shared), fastPath: openFastPath(parts, shared) };
}

function openFastPath(parts: OciParts, shared: Shared): FastPath {
  const { config, database, blobs, rules } = parts;
  const { manifests, sources, past } = parts.mirrored.images;
  const { oci } = config.feed;
  const surfaces = { segments: segmentNames(oci), hasDefault: oci.hasDefault };
  const memory = createBlobMemory(blobs.oci, { bytesMax: SMALL_BLOB_MEMORY_BYTES });
  return createFastPath({
    blobs: database.oci.blobs,
    manifests,
    sources,
    isPresent: ({ key }) => blobs.oci.isPresent(key),
    bytesOf: (blob) => readSmall(memory, blob),
    async authorize(incoming, imageRequest) {
      const connection = connectionOfIncoming(incoming);
      const headers = { get: (name: string) => connection.header(name) ?? null };
      const context = rules.contexts.ofConnection(connection);
      const verdict = await authorizeImage(rules, imageRequest, { headers, context });
      if (verdict.status !== "granted") rules.contexts.keep(incoming, context);
      return verdict;
    },
    requestId: (incoming) => rules.contexts.ofConnection(connectionOfIncoming(incoming)).id,
    count: countOf(parts),
    ...shared,
    owns: (name) => isOwned(surfaces, name),
    past,
  });
}

function openOciApp(parts: OciParts, shared: Shared): Hono {
  const { name, oci } = parts.config.feed;
  const { maxBlobBytes, uploadExpiryMs, hasDefault, allowsSparseIndexes } = oci;
  return createOciApp(ociPorts(parts), {
    unavailable: parts.unavailable,
    service: name,
    segments: segmentNames(oci),
    hasDefault,
    uploadExpiryMs,
    allowsSparseIndexes,
    ...shared,
    maxBlobBytes,
  });
}

function uploadKeyOf({ pepper }: Pick<OciParts, "pepper">): Uint8Array {
  const purpose = "sealhouse/oci/uploads/v1";
  return new Uint8Array(hkdfSync("sha256", pepper, "", purpose, KEY_BYTES));
}

function ociPorts(parts: OciParts): OciPorts {
  const { database, blobs, mirrored, rules } = parts;
  return {
    ...mirrored.images,
    uploads: database.oci.uploads,
    files: imageFiles(blobs.oci, { redirects: parts.config.storage.redirectsDownloads }),
    authorize: createImageAuthorize(rules),
    tokens: createImageTokens(rules),
    address(request, env) {
      const { oci, base, cacheable } = rules.contexts.of(request, env).publicAddress;
      return oci ? { ...oci, cacheable } : { base, cacheable };
    },
    count: countOf(parts),
  };
}

function countOf({ config, metrics }: Pick<OciParts, "config" | "metrics">): OciPorts["count"] {
  const segments = segmentNames(config.feed.oci);
  return (what, repository) => {
    metrics.count("oci", what);
    metrics.countSegment(segmentOf(segments, repository), what);
  };
}
