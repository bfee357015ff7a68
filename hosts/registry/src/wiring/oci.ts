import type { AnswerAtHand, OciPorts, PullCounter } from "@sealhouse/oci-distribution";
import {
  createOciApp,
  createPullCounter,
  createReadsAtHand,
  isOwned,
  segmentOf,
} from "@sealhouse/oci-distribution";
import { createBlobMemory } from "@sealhouse/storage-providers";
import type { Hono } from "hono";
import { arrivalOfIncoming } from "../http/arrival.ts";
import { admitToImages, ociAuthorize, ociTokens } from "../http/authorize.ts";
import { readSmall } from "../http/tarballs-at-hand.ts";
import { ociFiles } from "./oci-files.ts";
import { segmentNames } from "./oci-surfaces.ts";
import type { Parts } from "./parts.ts";

/** Configurations and small layers that are read again and again; filled only by those. */
const SMALL_BLOB_MEMORY_BYTES = 8 * 1024 * 1024;

/** The app, and the way past the router for what pulls consist of. */
export function openOci(parts: Parts): { readonly app: Hono; readonly reads: AnswerAtHand } {
  const startsPull = createPullCounter(Date.now);
  return { app: openOciApp(parts, startsPull), reads: openReads(parts, startsPull) };
}

function openReads(parts: Parts, startsPull: PullCounter): AnswerAtHand {
  const { config, database, blobs, rules } = parts;
  const { oci } = config.feed;
  const surfaces = { segments: segmentNames(oci), hasDefault: oci.hasDefault };
  const memory = createBlobMemory(blobs.oci, { bytesMax: SMALL_BLOB_MEMORY_BYTES });
  return createReadsAtHand({
    blobs: database.oci.blobs,
    manifests: database.oci.manifests,
    bytesOf: async (blob) => memory.recall(blob.key) ?? readSmall(memory, blob),
    async authorize(incoming, wanted) {
      const arrival = arrivalOfIncoming(incoming);
      const headers = { get: (name: string) => arrival.header(name) ?? null };
      const context = rules.contexts.ofArrival(arrival);
      const verdict = await admitToImages(rules, wanted, { headers, context });
      if (verdict.status !== "granted") rules.contexts.keep(incoming, context);
      return verdict;
    },
    count: countOf(parts),
    startsPull,
    owns: (name) => isOwned(surfaces, name),
  });
}

function openOciApp(parts: Parts, startsPull: PullCounter): Hono {
  const { name, oci } = parts.config.feed;
  const { maxBlobBytes, uploadExpiryMs, hasDefault } = oci;
  return createOciApp(ociPorts(parts), {
    service: name,
    segments: segmentNames(oci),
    hasDefault,
    uploadExpiryMs,
    startsPull,
    maxBlobBytes: maxBlobBytes ?? Number.MAX_SAFE_INTEGER,
  });
}

function ociPorts(parts: Parts): OciPorts {
  const { database, blobs, rules } = parts;
  return {
    blobs: database.oci.blobs,
    manifests: database.oci.manifests,
    uploads: database.oci.uploads,
    files: ociFiles(blobs.oci),
    authorize: ociAuthorize(rules),
    tokens: ociTokens(rules),
    address(request, env) {
      const { oci, base, cacheable } = rules.contexts.of(request, env).publicAddress;
      return oci ? { ...oci, cacheable } : { base, cacheable };
    },
    count: countOf(parts),
  };
}

function countOf({ config, metrics }: Parts): OciPorts["count"] {
  const segments = segmentNames(config.feed.oci);
  return (what, repository) => {
    metrics.count("oci", what);
    metrics.countSegment(segmentOf(segments, repository), what);
  };
}
