import type { OciPorts } from "@sealhouse/oci-distribution";
import { createOciApp } from "@sealhouse/oci-distribution";
import type { Hono } from "hono";
import { ociAuthorize, ociTokens } from "../http/authorize.ts";
import type { Parts } from "./parts.ts";

export function openOciApp(parts: Parts): Hono {
  const { name, oci } = parts.config.feed;
  const { maxBlobBytes, uploadExpiryMs } = oci;
  return createOciApp(ociPorts(parts), {
    service: name,
    uploadExpiryMs,
    ...(maxBlobBytes !== undefined && { maxBlobBytes }),
  });
}

function ociPorts({ database, blobs, rules, metrics }: Parts): OciPorts {
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
    address: (request, env) => rules.contexts.of(request, env).publicAddress,
    count: (what) => metrics.count("oci", what),
  };
}
