import { sameBytes } from "../hash.ts";
import type {
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
export function createMemoryLedger(): CertificateLedger {
  const records = new Map<string, CertificateRecord>();
  return {
    async used(certificate, at) {
      const known = records.get(certificate.fingerprint);
      records.set(certificate.fingerprint, {
        ...certificate,
        firstUsedAt: known?.firstUsedAt ?? at,
        lastUsedAt: at,
        active: known?.active ?? true,
      });
    },
    list: async () => [...records.values()],
    find: async (fingerprint) => records.get(fingerprint),
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
