import { createBlobIndex } from "./blobs/blob-index.ts";
import { createBlobRecords, noteVerified } from "./blobs/blob-records.ts";
import { createBlobRegisterFind } from "./blobs/blob-register.ts";
import { createSmallBlobs } from "./blobs/small-blobs.ts";
import type { DatabaseConfig } from "./connection-string.ts";
import type { Database, DatabaseOptions } from "./database.ts";
import { createDocumentStore } from "./documents/document-store.ts";
import { createDownloads } from "./downloads.ts";
import { createAuditLog } from "./events/audit-log.ts";
import { createOutbox } from "./events/outbox.ts";
import { createLoginSessionLookup } from "./identity/login-session-lookup.ts";
import { createRefreshTokenLookup } from "./identity/refresh-token-lookup.ts";
import { createTokenLookup } from "./identity/token-lookup.ts";
import { latestPackages } from "./latest-packages.ts";
import { createLeases } from "./leases.ts";
import { createNpmAdvisories } from "./npm/advisories.ts";
import { createNpmAttestations } from "./npm/attestations.ts";
import { createNpmDependents } from "./npm/dependents.ts";
import { createNpmHistory } from "./npm/npm-history.ts";
import { createNpmLookup } from "./npm/npm-lookup.ts";
import { createNpmLifecycle } from "./npm/npm-lifecycle.ts";
import { createNpmSearch } from "./npm/npm-search.ts";
import { createNpmOwners } from "./npm/owners.ts";
import { createNpmStaging } from "./npm/staging.ts";
import { createNpmSigningKeys, createUnsignedVersions } from "./npm/signing-keys.ts";
import { createAdvisories } from "./nuget/advisories.ts";
import { createCatalogLog } from "./nuget/catalog-log.ts";
import { createPackageIds } from "./nuget/package-ids.ts";
import { createPackageLifecycle } from "./nuget/package-lifecycle.ts";
import { createPackageLookup } from "./nuget/package-lookup.ts";
import { createPackageTotals } from "./nuget/package-totals.ts";
import { createPackageSearch } from "./nuget/package-search.ts";
import { searchDialect } from "./nuget/search-dialect.ts";
import { createRetentionPackages } from "./nuget/retention-packages.ts";
import { rememberSearches } from "./nuget/remembered-search.ts";
import { createSymbolCatalog } from "./nuget/symbol-catalog.ts";
import { createBlobFind, createBlobKnown } from "./oci/blob-lookup.ts";
import type { Clock } from "./oci/clock.ts";
import { createGarbageCatalog } from "./oci/gc/garbage-catalog.ts";
import { createHolds } from "./oci/gc/holds.ts";
import { createManifestDetails } from "./oci/manifest-details.ts";
import { createManifestLookup } from "./oci/manifest-lookup.ts";
import { createRepositoryListing } from "./oci/repository-listing.ts";
import { createTagPulls } from "./oci/tag-pulls.ts";
import type { TagPulls } from "./oci/tag-pulls.ts";
import { createManifestRecords } from "./oci/manifest-records.ts";
import { createTagRecords } from "./oci/tag-records.ts";
import { createUploadCatalog } from "./oci/upload-catalog.ts";
import { closeConnections, openConnections } from "./orm/connections.ts";
import type { Connections } from "./orm/connections.ts";
import { lazyWrites } from "./orm/lazy-writes.ts";
import type { OpenWrites } from "./orm/lazy-writes.ts";
import type { Writes } from "./orm/open-writes.ts";
import { ensureSchema } from "./schema/ensure-schema.ts";
import { createCertificateLedger } from "./signing/certificate-ledger.ts";
import { createCertificateList } from "./signing/certificate-list.ts";
import { createProvenance } from "./signing/provenance.ts";
import { createSealedVersions } from "./signing/sealed-versions.ts";
import { createTrustedPublishers } from "./trust/trusted-publishers.ts";

const CLOCK_THRESHOLD_MS = 3 * 60 * 60_000;
const SEARCH_CACHE_BYTES = 8 * 1024 * 1024;
const DOCUMENT_CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Connects, updates the schema, and provides the ports of all packages. Lookups work without
 * MikroORM. The first change or a migration loads it, because loading takes longer than the rest of
 * the start.
 *
 * @throws DatabaseUnavailableError, SchemaMismatchError
 */
export async function openDatabase(
  config: DatabaseConfig,
  options: DatabaseOptions = {},
): Promise<Database> {
  const connections = await openConnections(config);
  try {
    await ensureSchema(connections, { migrate: options.migrate ?? true });
  } catch (error) {
    await closeConnections(connections);
    throw error;
  }
  return databaseOver(connections, options);
}

function databaseOver(connections: Connections, options: DatabaseOptions): Database {
  const { type, port, queries } = connections;
  const { now = () => new Date() } = options;
  const clock = { now, thresholdMs: options.clockThresholdMs ?? CLOCK_THRESHOLD_MS };
  const listeners = new Set<() => void>();
  const committed = () => {
    for (const listener of listeners) listener();
  };
  const writes = lazyWrites(async () => {
    const { openWrites } = await import("./orm/open-writes.ts");
    const { immutableTags } = options;
    const clockThresholdMs = clock.thresholdMs;
    const given = { now, clockThresholdMs, committed, ...(immutableTags && { immutableTags }) };
    return openWrites(connections, given);
  });
  const ledger = createCertificateLedger(queries, async (...used) =>
    (await writes()).insertCertificate(...used),
  );
  return {
    documents: createDocumentStore(port, {
      type,
      cacheBytes: options.documentCacheBytes ?? DOCUMENT_CACHE_BYTES,
    }),
    nuget: nugetParts(connections, writes, options),
    npm: npmParts(connections, writes, now),
    oci: ociParts(connections, writes, clock),
    tokens: {
      ...createTokenLookup(queries),
      insert: async (token, by) => (await writes()).insertToken(token, by),
      replace: async (id, token, by) => (await writes()).replaceToken({ id, token, by }),
      revoke: async (id, at, by) => (await writes()).revokeToken({ id, at, by }),
    },
    refreshTokens: {
      ...createRefreshTokenLookup(queries),
      insert: async (...inserted) => (await writes()).insertRefreshToken(...inserted),
    },
    loginSessions: loginSessions(queries, writes),
    certificates: {
      ...ledger,
      retire: async (fingerprint, by) => (await writes()).retireCertificate(fingerprint, by),
    },
    events: {
      outbox: createOutbox(queries, { now, inOrder: type === "Sqlite" }),
      audit: createAuditLog(queries),
      record: async (events) => (await writes()).record(events),
      onCommitted(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    blobs: createBlobIndex(port),
    smallBlobs: createSmallBlobs(port),
    blobRegister: (protocol) => ({
      find: createBlobRegisterFind(port, protocol),
      markMissing: async (key) => (await writes()).blobRegister.markMissing(protocol, key),
      restore: async (blob) => (await writes()).blobRegister.restore(protocol, blob),
    }),
    blobRecords: blobRecords(port, writes, now),
    downloads: createDownloads(queries),
    leases: createLeases(queries, now),
    latestPackages: (limit) => latestPackages(queries, limit),
    async ping() {
      if (connections.type === "Sqlite") connections.port.assertSound();
      await port.one({ name: "ping", sql: "select 1 as one" }, []);
    },
    [Symbol.asyncDispose]: () => closeConnections(connections),
  };
}

function npmParts(
  { type, port, queries }: Connections,
  writes: OpenWrites,
  now: () => Date,
): Database["npm"] {
  return {
    lookup: createNpmLookup(port),
    recorder: npmRecorder(writes),
    lifecycle: createNpmLifecycle(port, writes),
    owners: createNpmOwners(port, writes),
    trustedPublishers: createTrustedPublishers(queries, writes, "npm"),
    dependents: createNpmDependents(port, type),
    history: createNpmHistory(port),
    search: createNpmSearch(port, type),
    attestations: createNpmAttestations(queries),
    advisories: createNpmAdvisories(port),
    signingKeys: createNpmSigningKeys(port, writes),
    unsigned: createUnsignedVersions(port, writes),
    staging: createNpmStaging(queries, writes, now),
  };
}

function loginSessions(
  queries: Connections["queries"],
  writes: OpenWrites,
): Database["loginSessions"] {
  return {
    ...createLoginSessionLookup(queries),
    insert: async (...asked) => (await writes()).loginSessions.insert(...asked),
    decide: async (...asked) => (await writes()).loginSessions.decide(...asked),
    take: async (pollHash) => (await writes()).loginSessions.take(pollHash),
  };
}

function nugetParts(
  { type, port, queries }: Connections,
  writes: OpenWrites,
  options: DatabaseOptions,
): Database["nuget"] {
  return {
    lookup: createPackageLookup(queries),
    totals: createPackageTotals(port),
    recorder: packageRecorder(writes),
    lifecycle: createPackageLifecycle(port, writes),
    search: rememberSearches(
      (count) => createPackageSearch({ port, queries }, searchDialect(type), { count }),
      port,
      SEARCH_CACHE_BYTES,
    ),
    symbols: createSymbolCatalog(port, writes),
    advisories: createAdvisories(port, writes),
    catalog: createCatalogLog(port, writes),
    retention: createRetentionPackages(port),
    ids: createPackageIds(port),
    certificates: createCertificateList(queries, {
      advertiseAllSigned: options.advertiseAllRepositorySigned ?? false,
    }),
    ...createProvenance(queries),
    seals: {
      ...createSealedVersions(queries),
      keep: async (named, seal) => (await writes()).keepSeal(named, seal),
      replace: async (named, change) => (await writes()).replaceSeal(named, change),
    },
  };
}

function packageRecorder(writes: OpenWrites): Database["nuget"]["recorder"] {
  return {
    record: async (version, caller, options) =>
      (await writes()).packages.record(version, caller, options),
    setListed: async (id, version, listed, caller) =>
      (await writes()).packages.setListed(id, version, listed, caller),
  };
}

function npmRecorder(writes: OpenWrites): Database["npm"]["recorder"] {
  return {
    publish: async (version, caller) => (await writes()).npm.publish(version, caller),
    publishAll: async (...asked) => (await writes()).npm.publishAll(...asked),
    release: async (...asked) => (await writes()).npm.release(...asked),
    setTag: async (name, tag, version, caller) =>
      (await writes()).npm.setTag(name, tag, version, caller),
    removeTag: async (name, tag, caller) => (await writes()).npm.removeTag(name, tag, caller),
  };
}

function ociParts(connections: Connections, writes: OpenWrites, clock: Clock): Database["oci"] {
  const { port } = connections;
  const pulls = createTagPulls(port);
  return {
    blobs: {
      find: createBlobFind(port, clock),
      isKnown: createBlobKnown(port),
      ...blobChanges(writes),
    },
    manifests: { ...createManifestLookup(port, clock, pulls), ...manifestChanges(writes) },
    uploads: createUploadCatalog(connections, clock.now),
    garbage: createGarbageCatalog(port, writes),
    holds: createHolds(port, writes, clock.now),
    tags: tagRetention(port, writes, pulls),
    browsing: browsing(port, pulls),
    records: createManifestRecords(port),
  };
}

function browsing(port: Connections["port"], pulls: TagPulls): Database["oci"]["browsing"] {
  const listing = createRepositoryListing(port);
  const details = createManifestDetails(port);
  return {
    ...listing,
    ...details,
    tags: (...asked) => pulls.written().then(() => listing.tags(...asked)),
    manifest: (...asked) => pulls.written().then(() => details.manifest(...asked)),
  };
}

function tagRetention(
  port: Connections["port"],
  writes: OpenWrites,
  pulls: TagPulls,
): Database["oci"]["tags"] {
  return {
    tagRecords: createTagRecords(port, pulls),
    async removeTag(...asked) {
      // Keeps a tag that was pulled in the meantime.
      await pulls.written();
      return (await writes()).tags.removeTag(...asked);
    },
  };
}

function blobRecords(
  port: Connections["port"],
  writes: OpenWrites,
  now: () => Date,
): Database["blobRecords"] {
  return (protocol, caller) => {
    const changes = async () => (await writes()).blobRecords(caller);
    return {
      ...createBlobRecords(port, protocol),
      async markVerified(blob) {
        if (await noteVerified(port, blob, now())) return;
        await (await changes()).markVerified(blob);
      },
      markDamaged: async (...asked) => (await changes()).markDamaged(...asked),
      replaceKey: async (...asked) => (await changes()).replaceKey(...asked),
    };
  };
}

function blobChanges(writes: OpenWrites): Writes["blobs"] {
  return {
    link: async (...asked) => (await writes()).blobs.link(...asked),
    mount: async (...asked) => (await writes()).blobs.mount(...asked),
    unlink: async (...asked) => (await writes()).blobs.unlink(...asked),
  };
}

function manifestChanges(writes: OpenWrites): Writes["manifests"] {
  return {
    record: async (manifest, caller) => (await writes()).manifests.record(manifest, caller),
    deleteTag: async (repository, tag, caller) =>
      (await writes()).manifests.deleteTag(repository, tag, caller),
    deleteManifest: async (repository, digest, caller) =>
      (await writes()).manifests.deleteManifest(repository, digest, caller),
  };
}
