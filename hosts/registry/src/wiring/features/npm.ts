import { PRESIGNED_MS } from "@sealhouse/feed";
import { NPM_PATH } from "@sealhouse/http-server";
import { createPackageAuthorize, createWorkLimiter, networksOfAddress } from "@sealhouse/identity";
import type { Job } from "@sealhouse/jobs";
import { createAbsentPackages, createCachedTarballs, createNpmApp } from "@sealhouse/npm-protocol";
import type { LimitAudits, NpmPorts } from "@sealhouse/npm-protocol";
import { assertSound, readSmall } from "@sealhouse/storage-providers";
import type { Hono } from "hono";
import type { NpmShortcuts } from "../../http/stored-reads.ts";
import type { AccessRules } from "../access/access.ts";
import type { Core } from "../core.ts";
import type { FeatureModule } from "../feature.ts";
import { npmPages } from "../pages/npm.ts";
import { npmAccounts, npmTrust } from "./npm-identity.ts";

/** npm: its registry, also at separate host names, and its signatures. */
export const npm: FeatureModule = {
  isOn: ({ feed }) => feed.npm.enabled,
  open: (core) => ({
    protocol: "npm",
    surfaces: [{ surfaceId: "npm", protocol: "Npm", ociSegment: null, routePrefix: NPM_PATH }],
    apps: {
      npm: openApp(core, NPM_PATH),
      ...(core.config.feed.npm.hostNames.length > 0 && { npmAtRoot: openApp(core, "") }),
    },
    shortcuts: { npm: shortcutsOf(core) },
    pages: (page) => ({ npmPages: npmPages(core, page) }),
    jobs: [core.resources.npmSignatures.job, searchJob(core)],
  }),
};

/** Packages that the next run looks at again: one with a lower id may be committed later. */
const PACKAGES_AGAIN = 1_000;

/** Adds to the search what an older instance published. */
function searchJob({ resources }: Core): Job {
  let filledUpTo = 0;
  return {
    name: "npm search",
    firstAfterMs: 2_000,
    everyMs: 10 * 60_000,
    async run(signal) {
      const after = Math.max(0, filledUpTo - PACKAGES_AGAIN);
      filledUpTo = await resources.database.npm.fillSearch(after, signal);
    },
  };
}

/** `basePath` is empty for the host names that are npm's own. */
function openApp(core: Core, basePath: string): Hono {
  const { feed } = core.config;
  const { maxTarballBytes, unpublishWithinMs, stagedForMs, stagedPerPackage } = feed.npm;
  return createNpmApp(portsOf(core), {
    unavailable: core.unavailable,
    basePath,
    anonymousRead: feed.anonymousPull,
    unpublishWithinMs,
    stagedForMs,
    stagedPerPackage,
    tarballBytesMax: maxTarballBytes ?? Number.MAX_SAFE_INTEGER,
  });
}

function portsOf(core: Core): NpmPorts {
  const { config, resources, access, content } = core;
  const { database, blobs, npmSignatures } = resources;
  const { rules } = access;
  const { mirrored, verifyBundle, documents, viewDocuments, tarballs } = content;
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
        if (!config.storage.redirectsDownloads) return undefined;
        return blobs.npm.presign(blob.key, { expiresInMs: PRESIGNED_MS });
      },
      open(blob) {
        assertSound(blob);
        return { size: blob.size, read: (...args) => tarballs.read(blob, ...args) };
      },
    },
    authorize: createPackageAuthorize(rules, "npm"),
    accounts: npmAccounts(core),
    trust: npmTrust(core),
    address(request, env) {
      const { npm: base, cacheable } = rules.contexts.of(request, env).publicAddress;
      return { base, cacheable };
    },
    count: counterOf(core),
    limitAudits: auditLimit(rules),
    views: { past: mirrored.npm.past, documents: viewDocuments },
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

/** Tarballs only where clients are not redirected to the storage. */
function shortcutsOf(core: Core): NpmShortcuts {
  const { config, content } = core;
  const { anonymousPull: anonymousRead } = config.feed;
  const { lookup, upstream } = content.mirrored.npm;
  const count = counterOf(core);
  return {
    revise: (name) => upstream.revise(name),
    hasHostNames: config.feed.npm.hostNames.length > 0,
    writeAbsent: createAbsentPackages({ lookup, anonymousRead }),
    ...(!config.storage.redirectsDownloads && {
      writeTarball: createCachedTarballs({
        lookup,
        bytesOf: (blob) => readSmall(content.tarballs, blob),
        anonymousRead,
        count: (tarball) => count("pull", tarball),
      }),
    }),
  };
}

function counterOf({ metrics, downloads }: Core): NpmPorts["count"] {
  return (what, pulled) => {
    metrics.count("npm", what);
    if (pulled) downloads.add("npm", pulled.name, pulled.version);
  };
}
