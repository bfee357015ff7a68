import type { NpmPorts } from "@sealhouse/npm-protocol";
import { createNpmApp } from "@sealhouse/npm-protocol";
import type { Hono } from "hono";
import { packageAuthorize } from "../http/authorize.ts";
import { npmAccounts } from "./npm-accounts.ts";
import { npmTrust } from "./npm-trusted-publishing.ts";
import type { Parts } from "./parts.ts";

/** Longer than a client takes to follow, also one that waits for a free connection. */
const PRESIGNED_MS = 10 * 60_000;

/** `basePath` is empty for the host names that are npm's own. */
export function openNpmApp(parts: Parts, basePath: string): Hono {
  const { npm } = parts.config.feed;
  const { maxTarballBytes, unpublishWithinMs, stagedForMs, stagedPerPackage } = npm;
  return createNpmApp(npmPorts(parts), {
    basePath,
    anonymousRead: parts.config.feed.anonymousPull,
    unpublishWithinMs,
    stagedForMs,
    stagedPerPackage,
    tarballBytesMax: maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
  });
}

function npmPorts(parts: Parts): NpmPorts {
  const { database, npmSignatures, verifyBundle, documents, blobs } = parts;
  const { rules, metrics, downloads } = parts;
  return {
    lookup: database.npm.lookup,
    recorder: npmSignatures.recorder,
    staging: database.npm.staging,
    lifecycle: database.npm.lifecycle,
    owners: database.npm.owners,
    signingKeys: database.npm.signingKeys,
    attestations: database.npm.attestations,
    verifyBundle,
    search: database.npm.search,
    advisories: database.npm.advisories,
    documents,
    files: blobs.npm,
    content: {
      address: ({ key }) => blobs.npm.presign(key, { expiresInMs: PRESIGNED_MS }),
      open: ({ key, size }) => ({ size, read: (range) => blobs.npm.read(key, range) }),
    },
    authorize: packageAuthorize(rules, "npm"),
    accounts: npmAccounts(parts),
    trust: npmTrust(parts),
    address(request, env) {
      const { npm, cacheable } = rules.contexts.of(request, env).publicAddress;
      return { base: npm, cacheable };
    },
    count(what, pulled) {
      metrics.count("npm", what);
      if (pulled) downloads.add("npm", pulled.name, pulled.version);
    },
  };
}
