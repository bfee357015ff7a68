import type { LimitAudits, NpmPorts, VerifyBundle } from "@sealhouse/npm-protocol";
import { PRESIGNED_MS } from "@sealhouse/feed";
import { createNpmApp, createAbsentPackages, createCachedTarballs } from "@sealhouse/npm-protocol";
import { assertSound, readSmall } from "@sealhouse/storage-providers";
import type { Hono } from "hono";
import { createPackageAuthorize, createWorkLimiter, networksOfAddress } from "@sealhouse/identity";
import type { PolicyExchange } from "@sealhouse/identity";
import type { NpmShortcuts } from "../http/stored-reads.ts";
import { npmAccounts, npmTrust } from "./npm-identity.ts";
import type { Database, DownloadCounts } from "@sealhouse/database";
import type { DescribeUnavailable, DocumentStore } from "@sealhouse/http-responses";
import type { BlobMemory } from "@sealhouse/storage-providers";
import type { Metrics } from "../metrics.ts";
import type { Config } from "../settings/config.ts";
import type { AccessRules } from "./access.ts";
import type { Mirrored } from "./mirrored.ts";
import type { RegistryResources } from "./registry-resources.ts";

type NpmParts = {
  readonly config: Config;
  readonly database: Pick<
    Database,
    "npm" | "tokens" | "loginSessions" | "ownership" | "signInFailures"
  >;
  readonly documents: DocumentStore;
  readonly viewDocuments: DocumentStore;
  readonly blobs: Pick<RegistryResources["blobs"], "npm">;
  /** Reads npm's blobs, with a cache. */
  readonly tarballs: BlobMemory;
  readonly rules: AccessRules;
  readonly exchange: PolicyExchange;
  /** Key of the token hashes. */
  readonly pepper: string;
  readonly npmSignatures: Pick<RegistryResources["npmSignatures"], "recorder">;
  readonly verifyBundle: VerifyBundle;
  readonly metrics: Pick<Metrics, "count">;
  readonly downloads: Pick<DownloadCounts, "add">;
  readonly unavailable: DescribeUnavailable;
  readonly mirrored: Pick<Mirrored, "npm">;
};

/** `basePath` is empty for the host names that are npm's own. */
export function openNpmApp(parts: NpmParts, basePath: string): Hono {
  const { npm } = parts.config.feed;
  const { maxTarballBytes, unpublishWithinMs, stagedForMs, stagedPerPackage } = npm;
  return createNpmApp(npmPorts(parts), {
    unavailable: parts.unavailable,
    basePath,
    anonymousRead: parts.config.feed.anonymousPull,
    unpublishWithinMs,
    stagedForMs,
    stagedPerPackage,
    tarballBytesMax: maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
  });
}

function npmPorts(parts: NpmParts): NpmPorts {
  const { database, npmSignatures, verifyBundle, documents, blobs, tarballs } = parts;
  const { rules, mirrored } = parts;
  return {
    lookup: mirrored.npm.lookup,
    upstream: mirrored.npm.upstream,
    recorder: npmSignatures.recorder,
    staging: database.npm.staging,
    lifecycle: database.npm.lifecycle,
    owners: database.npm.owners,
    teams: database.npm.teams,
    signingKeys: database.npm.signingKeys,
    attestations: database.npm.attestations,
    verifyBundle,
    search: mirrored.npm.search,
    advisories: database.npm.advisories,
    documents,
    files: blobs.npm,
    content: {
      async address(blob) {
        assertSound(blob);
        if (!parts.config.storage.redirectsDownloads) return undefined;
        return blobs.npm.presign(blob.key, { expiresInMs: PRESIGNED_MS });
      },
      open(blob) {
        assertSound(blob);
        return { size: blob.size, read: (range) => tarballs.read(blob, range) };
      },
    },
    authorize: createPackageAuthorize(rules, "npm"),
    accounts: npmAccounts(parts),
    trust: npmTrust(parts),
    address(request, env) {
      const { npm, cacheable } = rules.contexts.of(request, env).publicAddress;
      return { base: npm, cacheable };
    },
    count: npmCounter(parts),
    limitAudits: auditLimit(rules),
    views: { past: mirrored.npm.past, documents: parts.viewDocuments },
  };
}

/** Thousands of values that a network may send at once; 2 s of CPU, restored within a minute. */
const AUDIT_LIMITS = { failuresMax: 2_000, windowMs: 60_000, addressesMax: 10_000 };
const VALUES_OF_COST = 1_000;

function auditLimit({ contexts, now }: Pick<AccessRules, "contexts" | "now">): LimitAudits {
  const limiter = createWorkLimiter(AUDIT_LIMITS);
  return async (request, env, values) => {
    const networks = networksOfAddress(contexts.of(request, env).address ?? "");
    return limiter.take(networks, now(), Math.ceil(values / VALUES_OF_COST));
  };
}

/**
 * Reads that are answered before the app: tarballs only where clients are not redirected to the
 * storage.
 */
export function openNpmShortcuts(parts: NpmParts): NpmShortcuts {
  const { anonymousPull: anonymousRead, npm } = parts.config.feed;
  const { lookup, upstream } = parts.mirrored.npm;
  const count = npmCounter(parts);
  return {
    revise: (name) => upstream.revise(name),
    hasHostNames: npm.hostNames.length > 0,
    writeAbsent: createAbsentPackages({ lookup, anonymousRead }),
    ...(!parts.config.storage.redirectsDownloads && {
      writeTarball: createCachedTarballs({
        lookup,
        bytesOf: (blob) => readSmall(parts.tarballs, blob),
        anonymousRead,
        count: (tarball) => count("pull", tarball),
      }),
    }),
  };
}

function npmCounter({
  metrics,
  downloads,
}: Pick<NpmParts, "metrics" | "downloads">): NpmPorts["count"] {
  return (what, pulled) => {
    metrics.count("npm", what);
    if (pulled) downloads.add("npm", pulled.name, pulled.version);
  };
}
