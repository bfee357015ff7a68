import { createActionJobs } from "./administration/action-jobs.ts";
import { createIdempotentAnswers } from "./administration/idempotent-answers.ts";
import { createBlobIndex } from "./blobs/blob-index.ts";
import { createBlobRecords } from "./blobs/blob-records.ts";
import { createBlobRegister } from "./blobs/blob-register.ts";
import { createSmallBlobs } from "./blobs/small-blobs.ts";
import type { Database } from "./database.ts";
import type { DatabaseOptions } from "./database-options.ts";
import { createDocumentStore } from "./documents/document-store.ts";
import { createViewDocuments } from "./documents/view-documents.ts";
import { createDownloads } from "./downloads.ts";
import { createAuditLog } from "./events/audit-log.ts";
import { createOutbox } from "./events/outbox.ts";
import { createMailRows } from "./events/mail-rows.ts";
import { createParkedEvents } from "./events/parked-events.ts";
import { recordRefusals } from "./events/record-refusals.ts";
import { createWebhookDeliveries } from "./events/webhook-deliveries.ts";
import { createWebhookRows } from "./events/webhook-rows.ts";
import { createBeginning } from "./history/facts-at.ts";
import { createFutureTimes } from "./future-times/future-times.ts";
import { createHistory } from "./history/history-log.ts";
import { createIdentityPorts } from "./identity/identity-ports.ts";
import { latestPackages } from "./latest-packages.ts";
import { presentNames } from "./present-names.ts";
import { createLeases } from "./leases.ts";
import { createNpmPorts } from "./npm/npm-ports.ts";
import { createNuGetPorts } from "./nuget/nuget-ports.ts";
import { createOciPorts } from "./oci/oci-ports.ts";
import { createChanges } from "./transactions/changes.ts";
import { closeConnections } from "./transactions/connections.ts";
import type { Connections } from "./transactions/connections.ts";
import { fenced, fencedWrites } from "./transactions/fenced.ts";
import { createTransaction } from "./transactions/create-transaction.ts";
import type { PortContext } from "./port-context.ts";
import type { Queries } from "./statements/queries.ts";
import { ensureRegistryId } from "./registry-id.ts";
import { createCertificateLedger } from "./signing/certificate-ledger.ts";
import { retireCertificate } from "./signing/retire-certificate.ts";
import { createWriteProbe } from "./write-probe.ts";
import { ownerOfHolder, ownersOf, publishersIn } from "./ownership/owner-rows.ts";
import { createOwnerships } from "./ownership/ownerships.ts";
import { createReservations } from "./ownership/reservations.ts";
import { createTransfers } from "./ownership/transfers.ts";
import { createUnownedNames } from "./ownership/unowned-names.ts";
import { createCompletedImages } from "./promotion/completed-images.ts";
import { createGroupRows } from "./promotion/group-rows.ts";
import { createHeldContents } from "./promotion/held-contents.ts";
import { createLentKeyRows } from "./promotion/lent-key-rows.ts";
import { createReleaseLanes } from "./promotion/release-lanes.ts";
import {
  createReleaseControl,
  createReleaseRows,
  createStatementRows,
} from "./promotion/release-rows.ts";
import { createSyndicationRows } from "./promotion/syndication-rows.ts";
import { createTargetRows } from "./promotion/target-rows.ts";
import { createFirstSeen } from "./upstream/first-seen.ts";
import { createKeptDocuments } from "./upstream/kept-documents.ts";
import { mirroredCount } from "./upstream/mirrored-counts.ts";
import { createNameOrigins } from "./upstream/name-origins.ts";
import { createUpstreamCertificates } from "./upstream/upstream-certificates.ts";
import { createPolicyRules } from "./upstream/policy-rules.ts";
import { createSourceRows } from "./upstream/source-rows.ts";
import { createSourceStates } from "./upstream/source-states.ts";

const CLOCK_THRESHOLD_MS = 3 * 60 * 60_000;
const DOCUMENT_CACHE_BYTES = 16 * 1024 * 1024;
const VIEW_DOCUMENTS_BYTES = 16 * 1024 * 1024;

/** Composes all ports over open connections of a current schema. */
export function databaseOver(
  connections: Connections,
  options: DatabaseOptions = {},
): { readonly database: Database; readonly context: PortContext } {
  const { type } = connections;
  const { now = () => new Date() } = options;
  const listeners = new Set<() => void>();
  const writeProbe = createWriteProbe(connections.queries, { now });
  const transaction = writeProbe.watching(createTransaction(connections));
  const { port, queries } = fencedWrites(connections, transaction);
  const changes = createChanges({
    transaction: fenced(transaction),
    now,
    clockThresholdMs: options.clockThresholdMs ?? CLOCK_THRESHOLD_MS,
    keepContentMs: options.keepContentMs ?? 0,
    committed: () => {
      for (const listener of listeners) listener();
    },
  });
  const beginning = createBeginning(queries, now);
  const context = { type, port, queries, changes, options, beginning };
  const database: Database = {
    documents: createDocumentStore(context, options.documentCacheBytes ?? DOCUMENT_CACHE_BYTES),
    viewDocuments: createViewDocuments(context, VIEW_DOCUMENTS_BYTES),
    nuget: createNuGetPorts(context),
    npm: createNpmPorts(context),
    oci: createOciPorts(context),
    ...createIdentityPorts(context),
    ownership: createOwnershipPorts(context),
    certificates: {
      ...createCertificateLedger(queries, changes),
      retire: (fingerprint, by) => retireCertificate(changes, fingerprint, by),
    },
    events: {
      webhooks: createWebhookRows({ queries, changes }),
      deliveries: createWebhookDeliveries({ queries, changes }),
      mails: createMailRows(queries, now),
      outbox: createOutbox(queries, { now, inOrder: type === "Sqlite" }),
      parked: createParkedEvents(queries, now),
      audit: createAuditLog(queries),
      record: (events) => changes.record(events),
      recordRefusals: (events) => recordRefusals(changes, events),
      onCommitted(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    blobs: createBlobIndex(queries),
    smallBlobs: createSmallBlobs(queries),
    blobRegister: (protocol) => createBlobRegister(context, protocol),
    blobRecords: (protocol, caller) => createBlobRecords(context, { protocol, caller }),
    downloads: createDownloads(queries, now),
    // A fence must not prevent another lease from being extended or released.
    leases: createLeases(connections.queries, now),
    administration: createAdministrationPorts(queries),
    history: createHistory(context),
    futureTimes: createFutureTimes(queries),
    promotion: createPromotionPorts(context),
    upstream: createUpstreamPorts(context),
    registryId: () => ensureRegistryId(queries),
    latestPackages: (limit, hidden) => latestPackages(queries, limit, hidden),
    presentNames: (protocol, names) => presentNames(queries, protocol, names),
    async ping() {
      if (connections.type === "Sqlite") connections.port.assertSound();
      await port.one({ name: "ping", sql: "select 1 as one" }, []);
    },
    checkWrites: writeProbe.check,
    [Symbol.asyncDispose]: () => closeConnections(connections),
  };
  return { database, context };
}

/** Composes the rows of the API of administrators. */
function createAdministrationPorts(queries: Queries): Database["administration"] {
  return { answers: createIdempotentAnswers(queries), jobs: createActionJobs(queries) };
}

/** Composes the ports of ownership. */
function createOwnershipPorts(context: PortContext): Database["ownership"] {
  return {
    ownerships: createOwnerships(context),
    unowned: createUnownedNames(context),
    reservations: createReservations(context),
    transfers: createTransfers(context),
    async publishers(name, holderId) {
      const owners = await ownersOf(context, name);
      if (owners.length > 0 || holderId === undefined) return publishersIn(owners);
      const owner = await ownerOfHolder(context, holderId);
      return owner ? [owner.handle] : [];
    },
  };
}

function createPromotionPorts(context: PortContext): Database["promotion"] {
  return {
    targets: createTargetRows(context),
    groups: createGroupRows(context),
    syndications: createSyndicationRows(context),
    releases: createReleaseRows(context),
    control: createReleaseControl(context),
    statements: createStatementRows(context),
    held: createHeldContents(context),
    lanes: createReleaseLanes(context),
    lentKeys: createLentKeyRows(context),
    completed: (endpoint) => createCompletedImages(context, endpoint),
  };
}

function createUpstreamPorts(context: PortContext): Database["upstream"] {
  return {
    sources: createSourceRows(context),
    states: createSourceStates(context.queries),
    origins: createNameOrigins(context),
    documents: createKeptDocuments(context),
    certificates: createUpstreamCertificates(context),
    rules: createPolicyRules(context),
    firstSeen: createFirstSeen(context),
    mirroredFrom: (source) => mirroredCount(context.queries, source),
  };
}
