import type { Caller } from "@sealhouse/request-types";
import type { NewEvent } from "@sealhouse/events";
import type { RefreshTokenStore, TokenRecord } from "@sealhouse/identity";
import type { NpmRecorder } from "@sealhouse/npm-protocol";
import type { NewCatalogItem, PackageRecorder, Seal } from "@sealhouse/nuget-protocol";
import type { ImmutableTags } from "@sealhouse/oci-distribution";
import { createBlobRegisterChanges } from "../blobs/blob-register.ts";
import type { BlobRegisterChanges } from "../blobs/blob-register.ts";
import { createLoginSessionChanges } from "../identity/login-session-changes.ts";
import type { LoginSessionChanges } from "../identity/login-session-changes.ts";
import { insertRefreshToken } from "../identity/refresh-token-changes.ts";
import { insertToken, replaceToken, revokeToken } from "../identity/token-changes.ts";
import { createNpmLifecycleChanges } from "../npm/lifecycle-changes.ts";
import type { NpmLifecycleChanges } from "../npm/lifecycle-changes.ts";
import { createNpmRecorder } from "../npm/npm-recorder.ts";
import { createNpmOwnerChanges } from "../npm/owner-changes.ts";
import type { NpmOwnerChanges } from "../npm/owner-changes.ts";
import { createNpmStagingChanges } from "../npm/staging-changes.ts";
import type { NpmStagingChanges } from "../npm/staging-changes.ts";
import { createNpmSigningKeyChanges } from "../npm/signing-key-changes.ts";
import type { NpmSigningKeyChanges } from "../npm/signing-key-changes.ts";
import { appendToCatalog } from "../nuget/catalog-append.ts";
import { createLifecycleChanges } from "../nuget/lifecycle-changes.ts";
import type { LifecycleChanges } from "../nuget/lifecycle-changes.ts";
import { createPackageRecorder } from "../nuget/package-recorder.ts";
import { createSymbolRecorder } from "../nuget/symbol-recorder.ts";
import type { SymbolRecorder } from "../nuget/symbol-recorder.ts";
import { createAdvisoryChanges } from "../nuget/advisory-changes.ts";
import type { AdvisoryChanges } from "../nuget/advisory-changes.ts";
import { createGarbageChanges } from "../oci/gc/garbage-changes.ts";
import type { GarbageChanges } from "../oci/gc/garbage-changes.ts";
import { createHoldChanges } from "../oci/gc/hold-changes.ts";
import type { HoldChanges } from "../oci/gc/hold-changes.ts";
import { createBlobChanges } from "../oci/blob-changes.ts";
import type { BlobChanges } from "../oci/blob-changes.ts";
import { createManifestChanges } from "../oci/manifest-changes.ts";
import type { ManifestChanges } from "../oci/manifest-changes.ts";
import { createBlobRecordChanges } from "../blobs/blob-record-changes.ts";
import type { BlobRecordChanges } from "../blobs/blob-record-changes.ts";
import { createTagChanges } from "../oci/tag-changes.ts";
import type { TagChanges } from "../oci/tag-changes.ts";
import type { ListedCertificateTimes, Used } from "../signing/certificate-ledger.ts";
import { insertCertificate } from "../signing/insert-certificate.ts";
import { replaceSeal } from "../signing/replace-seal.ts";
import type { SealedFile } from "../signing/replace-seal.ts";
import { retireCertificate } from "../signing/retire-certificate.ts";
import type { Retirement } from "../signing/retire-certificate.ts";
import { keepSeal } from "../signing/seal-keeper.ts";
import { createTrustChanges } from "../trust/trust-changes.ts";
import type { TrustChanges } from "../trust/trust-changes.ts";
import { expireStaged } from "../staging/staged-changes.ts";
import { createChanges } from "./changes.ts";
import type { Changes } from "./changes.ts";
import type { Connections } from "./connections.ts";
import { fenced } from "./fenced.ts";
import { kyselyOf } from "./kysely.ts";
import { openOrms } from "./open-orm.ts";
import { createPlainTransaction, createTransaction } from "./unit-of-work.ts";

/** Everything that changes more than one row at once. */
export type Writes = {
  readonly changes: Changes;
  readonly advisories: AdvisoryChanges;
  readonly packages: PackageRecorder;
  readonly lifecycle: LifecycleChanges;
  readonly symbols: SymbolRecorder;
  readonly npm: NpmRecorder;
  readonly npmLifecycle: NpmLifecycleChanges;
  readonly npmOwners: NpmOwnerChanges;
  readonly npmSigningKeys: NpmSigningKeyChanges;
  readonly npmStaging: NpmStagingChanges;
  readonly blobs: BlobChanges;
  readonly blobRegister: BlobRegisterChanges;
  readonly manifests: ManifestChanges;
  readonly garbage: GarbageChanges;
  readonly holds: HoldChanges;
  readonly tags: TagChanges;
  readonly blobRecords: BlobRecordChanges;
  readonly loginSessions: LoginSessionChanges;
  readonly trust: TrustChanges;
  insertRefreshToken(
    ...inserted: Parameters<RefreshTokenStore["insert"]>
  ): ReturnType<RefreshTokenStore["insert"]>;
  insertToken(token: TokenRecord, by: Caller): ReturnType<typeof insertToken>;
  replaceToken(replacing: Parameters<typeof replaceToken>[1]): ReturnType<typeof replaceToken>;
  revokeToken(revoking: Parameters<typeof revokeToken>[1]): ReturnType<typeof revokeToken>;
  insertCertificate(certificate: Used, times: ListedCertificateTimes): Promise<void>;
  keepSeal(named: Parameters<typeof keepSeal>[1], seal: Seal): ReturnType<typeof keepSeal>;
  replaceSeal(
    named: SealedFile,
    change: { readonly seen: Seal; readonly seal: Seal },
  ): ReturnType<typeof replaceSeal>;
  retireCertificate(fingerprint: string, by: Caller): Promise<Retirement>;
  /** Removes staged versions of all protocols that have expired; gives how many. */
  expireStaged(atMost: number): Promise<number>;
  record(events: readonly NewEvent[]): Promise<void>;
  appendToCatalog(items: readonly NewCatalogItem[]): Promise<void>;
};

/** Loads MikroORM; imported at the first write. */
export async function openWrites(
  connections: Connections,
  options: {
    readonly now: () => Date;
    readonly clockThresholdMs: number;
    readonly committed: () => void;
    readonly immutableTags?: ImmutableTags;
  },
): Promise<Writes> {
  const { type, name } = connections;
  const kysely = kyselyOf(connections);
  const orms = await openOrms({ type, name, kysely });
  const transaction = fenced(createTransaction(orms, connections, kysely));
  const plain = fenced(createPlainTransaction(connections));
  const changes = createChanges({ transaction, plain, ...options });
  return {
    changes,
    advisories: createAdvisoryChanges(changes),
    packages: createPackageRecorder(changes),
    lifecycle: createLifecycleChanges(changes),
    symbols: createSymbolRecorder(changes),
    npm: createNpmRecorder(changes),
    npmLifecycle: createNpmLifecycleChanges(changes),
    npmOwners: createNpmOwnerChanges(changes),
    npmSigningKeys: createNpmSigningKeyChanges(changes),
    npmStaging: createNpmStagingChanges(changes),
    expireStaged: (atMost) => expireStaged(changes, atMost),
    blobs: createBlobChanges(changes),
    blobRegister: createBlobRegisterChanges(changes),
    garbage: createGarbageChanges(changes, type),
    holds: createHoldChanges(changes),
    manifests: createManifestChanges(changes, options.immutableTags),
    tags: createTagChanges(changes, options.immutableTags),
    blobRecords: createBlobRecordChanges(changes),
    insertRefreshToken: (record, most) => insertRefreshToken(changes, record, most),
    insertToken: (token, by) => insertToken(changes, token, by),
    replaceToken: (replacing) => replaceToken(changes, replacing),
    revokeToken: (revoking) => revokeToken(changes, revoking),
    loginSessions: createLoginSessionChanges(changes),
    trust: createTrustChanges(changes),
    insertCertificate: (certificate, times) => insertCertificate(changes, certificate, times),
    keepSeal: (named, seal) => keepSeal(changes, named, seal),
    replaceSeal: (named, change) => replaceSeal(changes, named, change),
    retireCertificate: (fingerprint, by) => retireCertificate(changes, fingerprint, by),
    appendToCatalog: (items) => appendToCatalog(changes, items),
    record: (events) =>
      transaction(async (bare) => {
        // Records past events even when the token is no longer valid.
        const unit = { ...bare, askedBy: () => undefined };
        for (const event of events) await changes.event(unit, event);
      }),
  };
}
