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

function sameContent(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one && other ? sameBytes(one, other) : one === other;
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
  const known = (certificate: CertificateFacts, at: Date, signsFrom: Date): CertificateRecord => {
    const use = { listedAt: at, firstUsedAt: signsFrom, lastUsedAt: signsFrom, active: true };
    const record = records.get(certificate.fingerprint) ?? { ...certificate, ...use };
    if (record.firstUsedAt <= signsFrom) return record;
    return { ...record, firstUsedAt: signsFrom, lastUsedAt: signsFrom };
  };
  return {
    async used(certificate, at) {
      keep({ ...known(certificate, at, at), lastUsedAt: at });
    },
    announce: async (certificate, { at, signsFrom }) => keep(known(certificate, at, signsFrom)),
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
  const kept = new Map<string, Seal>();
  return {
    async keep({ id, version, sha256 }, seal) {
      const key = `${id}/${version}/${sha256}`;
      const first = kept.get(key) ?? seal;
      kept.set(key, first);
      return first;
    },
  };
}
