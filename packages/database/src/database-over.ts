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
import { createOwnershipPorts } from "./ownership/ownership-ports.ts";
import type { PortContext } from "./port-context.ts";
import { ensureRegistryId } from "./registry-id.ts";
import { createPromotionPorts } from "./promotion/promotion-ports.ts";
import { createUpstreamPorts } from "./upstream/upstream-ports.ts";
import { createCertificateLedger } from "./signing/certificate-ledger.ts";
import { retireCertificate } from "./signing/retire-certificate.ts";
import { createWriteProbe } from "./write-probe.ts";

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
    administration: {
      answers: createIdempotentAnswers(queries),
      jobs: createActionJobs(queries),
    },
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
