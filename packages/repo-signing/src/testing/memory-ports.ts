import { sameBytes } from "../hash.ts";
import type {
  CertificateFacts,
  CertificateFile,
  CertificateLedger,
  CertificateRecord,
  SealKeeper,
} from "../ports.ts";

/** A certificate file in memory, of which one of several writers replaces the same content. */
export function createMemoryCertificateFile(content?: Uint8Array): CertificateFile & {
  readonly writes: readonly ("first" | "replaced")[];
  remove(): void;
} {
  let stored = content;
  const writes: ("first" | "replaced")[] = [];
  return {
    writes,
    read: async () => stored,
    async write(pfx, before) {
      if (!sameContent(stored, before)) return "exists";
      writes.push(before ? "replaced" : "first");
      stored = pfx;
      return "written";
    },
    remove() {
      stored = undefined;
    },
  };
}

function sameContent(bytes: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return bytes && other ? sameBytes(bytes, other) : bytes === other;
}

/** Certificate records in memory. */
export function createMemoryLedger(): CertificateLedger & {
  retire(fingerprint: string): void;
} {
  const records = new Map<string, CertificateRecord>();
  const keep = (record: CertificateRecord): CertificateRecord => {
    records.set(record.fingerprint, record);
    return record;
  };
  const recordOf = (
    certificate: CertificateFacts,
    time: Date,
    signsFrom: Date,
  ): CertificateRecord => {
    const use = { listedAt: time, firstUsedAt: signsFrom, lastUsedAt: signsFrom, active: true };
    const record = records.get(certificate.fingerprint) ?? { ...certificate, ...use };
    if (record.firstUsedAt <= signsFrom) return record;
    return { ...record, firstUsedAt: signsFrom, lastUsedAt: signsFrom };
  };
  return {
    async used(certificate, time) {
      keep({ ...recordOf(certificate, time, time), lastUsedAt: time });
    },
    announce: async (certificate, { at: time, signsFrom }) =>
      keep(recordOf(certificate, time, signsFrom)),
    list: async () => [...records.values()],
    find: async (fingerprint) => records.get(fingerprint),
    retire(fingerprint) {
      const record = records.get(fingerprint);
      if (record) keep({ ...record, active: false });
    },
  };
}

/** Keeps the first seal of each file of each version. */
export function createMemorySealKeeper<Seal>(): SealKeeper<Seal> {
  const seals = new Map<string, Seal>();
  return {
    async keep({ id, version, sha256 }, seal) {
      const key = `${id}/${version}/${sha256}`;
      const first = seals.get(key) ?? seal;
      seals.set(key, first);
      return first;
    },
  };
}
