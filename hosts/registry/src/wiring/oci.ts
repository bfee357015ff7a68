import type { OciPorts } from "@sealhouse/oci-distribution";
import { createOciApp, segmentOf } from "@sealhouse/oci-distribution";
import type { Hono } from "hono";
import { ociAuthorize, ociTokens } from "../http/authorize.ts";
import { segmentNames } from "./oci-surfaces.ts";
import type { Parts } from "./parts.ts";

export function openOciApp(parts: Parts): Hono {
  const { name, oci } = parts.config.feed;
  const { maxBlobBytes, uploadExpiryMs, hasDefault } = oci;
  return createOciApp(ociPorts(parts), {
    service: name,
    segments: segmentNames(oci),
    hasDefault,
    uploadExpiryMs,
    ...(maxBlobBytes !== undefined && { maxBlobBytes }),
  });
}

function ociPorts({ config, database, blobs, rules, metrics }: Parts): OciPorts {
  const segments = segmentNames(config.feed.oci);
  const store = blobs.oci;
  return {
    blobs: database.oci.blobs,
    manifests: database.oci.manifests,
    uploads: database.oci.uploads,
    files: {
      stage: (body, options) => store.stage(body, options),
      append: (...part) => store.uploads.append(...part),
      assemble: (id, size, options) => store.uploads.assemble(id, size, options),
      drop: (id) => store.uploads.drop(id),
      open: ({ key, size }) => ({ size, read: (range) => store.read(key, range) }),
    },
    authorize: ociAuthorize(rules),
    tokens: ociTokens(rules),
    address(request, env) {
      const { oci, base, cacheable } = rules.contexts.of(request, env).publicAddress;
      return oci ? { ...oci, cacheable } : { base, cacheable };
    },
    count(what, repository) {
      metrics.count("oci", what);
      metrics.countSegment(segmentOf(segments, repository), what);
    },
  };
}
