import type { OciPorts } from "@sealhouse/oci-distribution";
import { createOciApp } from "@sealhouse/oci-distribution";
import type { Hono } from "hono";
import { ociAuthorize, ociTokens } from "../http/authorize.ts";
import type { Parts } from "./parts.ts";

export function openOciApp(parts: Parts): Hono {
  const { name, oci } = parts.config.feed;
  const { maxBlobBytes } = oci;
  return createOciApp(ociPorts(parts), {
    service: name,
    ...(maxBlobBytes !== undefined && { maxBlobBytes }),
  });
}

function ociPorts({ database, blobs, rules, metrics }: Parts): OciPorts {
  const { uploads, stage, read } = blobs.oci;
  return {
    blobs: database.oci.blobs,
    manifests: database.oci.manifests,
    uploads: database.oci.uploads,
    files: {
      stage,
      append: uploads.append,
      assemble: uploads.assemble,
      drop: uploads.drop,
      open: ({ key, size }) => ({ size, read: (range) => read(key, range) }),
    },
    authorize: ociAuthorize(rules),
    tokens: ociTokens(rules),
    address: (request, env) => rules.contexts.of(request, env).publicAddress,
    count: (what) => metrics.count("oci", what),
  };
}
