import type {
  DigestKeeper,
  HashableFiles,
  KnownDigests,
  Provenance,
  ProvenanceLookup,
} from "../provenance/ports.ts";
import type { FileDigests, Seal } from "../stored-package.ts";
import type { MemoryRows, Row } from "./memory-row.ts";
import { rowKey, storedOf } from "./memory-row.ts";

type StoredProvenance = { readonly contentHash?: string; readonly signed?: FileDigests };

/** Digests of the versions that are there. Nothing is signed again here, so there is no history. */
export function createMemoryProvenance(rows: MemoryRows): {
  readonly provenance: ProvenanceLookup;
  readonly digests: DigestKeeper;
  readonly hashable: HashableFiles;
} {
  const lateDigests = new Map<string, StoredProvenance>();
  rows.bytesGone.push((key) => void lateDigests.delete(key));
  return {
    provenance: {
      async find(id, version) {
        const key = rowKey(id, version);
        const row = rows.versions.get(key);
        return row && provenanceOf(row, lateDigests.get(key) ?? {});
      },
    },
    hashable: unreadFiles,
    digests: {
      async unhashed(id, version) {
        const key = rowKey(id, version);
        const row = rows.versions.get(key);
        if (!row) return undefined;
        const { contentHash = row.contentHash, signed } = lateDigests.get(key) ?? {};
        return {
          stored: storedOf(row),
          lacksContentHash: contentHash === undefined,
          seals: row.seal && !signed ? [row.seal] : [],
        };
      },
      async keep({ id, version, blob }, newDigests) {
        const key = rowKey(id, version);
        const row = rows.versions.get(key);
        if (!row || row.blob.sha256 !== blob.sha256 || !fits(row, newDigests)) return;
        const { type: _type, ...digests } = newDigests;
        const next = "seal" in digests ? { signed: digests.digests } : digests;
        lateDigests.set(key, { ...lateDigests.get(key), ...next });
      },
    },
  };
}

function fits({ seal }: Row, newDigests: KnownDigests): boolean {
  return (
    newDigests.type === "content-hash" || (seal !== undefined && isSame(seal, newDigests.seal))
  );
}

function isSame(seal: Seal, other: Seal): boolean {
  return Buffer.compare(seal.plan, other.plan) === 0;
}

function provenanceOf(row: Row, digests: StoredProvenance): Provenance {
  const { id, version, blob, sha512, seal } = row;
  return {
    id,
    version,
    received: { sha256: blob.sha256, sha512, size: blob.size },
    contentHash: digests.contentHash ?? row.contentHash,
    signed: seal ? [signedOf(seal, digests.signed)] : [],
  };
}

function signedOf({ fingerprint, size, signedAt }: Seal, digests: FileDigests | undefined) {
  return { fingerprint, size, signedAt, replacedAt: undefined, digests };
}

/** Files that need no reading: they were pushed unsigned, and stay unsigned. */
export const unreadFiles: HashableFiles = {
  signed: () => Promise.reject(new Error("no file is signed here")),
  contentHash: async () => undefined,
};
