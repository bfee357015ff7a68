import type { MemoryDocumentStore } from "@sealhouse/http-responses/testing";
import { groupOf } from "../documents/document-address.ts";
import type { NpmSigningKeys, SigningKeyRecord, UnsignedVersions } from "../signatures/ports.ts";
import type { MemoryShelf, Stored } from "./memory-shelf.ts";

export function createMemorySigningKeys(
  shelf: Pick<MemoryShelf, "packages" | "now">,
  documents: Pick<MemoryDocumentStore, "change">,
): NpmSigningKeys {
  let keys: readonly SigningKeyRecord[] = [];
  const isCurrent = (key: SigningKeyRecord) => key.encryptedKey !== undefined && !key.expiresAt;
  return {
    list: async () => keys,
    announced: async () => keys.filter(({ announcedAt }) => announcedAt !== undefined),
    async add(key) {
      if (keys.some(isCurrent)) return "exists";
      keys = [...keys, key];
      return "added";
    },
    async replace(key, expiresAt) {
      const [before] = keys.filter(({ announcedAt }) => announcedAt !== undefined);
      const expired = keys.map((oldKey) => (isCurrent(oldKey) ? { ...oldKey, expiresAt } : oldKey));
      keys = [...expired, { ...key, ...(before && { announcedAt: shelf.now() }) }];
    },
    async revoke(keyId) {
      const signingKey = keys.find((key) => key.keyId === keyId && key.encryptedKey !== undefined);
      if (!signingKey) return "absent";
      if (isCurrent(signingKey)) return "signs";
      keys = keys
        .filter((key) => key !== signingKey)
        .map(({ announcedAt: _announcedAt, ...key }) => key);
      for (const { name, versions } of shelf.packages.values()) {
        for (const stored of versions.values()) {
          const { signatures, ...entry } = stored.entry;
          if (signatures?.some(({ keyid }) => keyid === keyId)) stored.entry = entry;
        }
        documents.change(groupOf(name));
      }
      return "revoked";
    },
    async announce(what) {
      keys = keys.map(({ announcedAt = shelf.now(), ...key }) =>
        what === "all" ? { ...key, announcedAt } : key,
      );
      for (const name of shelf.packages.keys()) documents.change(groupOf(name));
    },
  };
}

export function createMemoryUnsigned(
  { packages }: Pick<MemoryShelf, "packages">,
  documents: Pick<MemoryDocumentStore, "change">,
): UnsignedVersions {
  const ids = new Map<Stored, number>();
  const numbered = () => {
    for (const entry of packages.values()) {
      for (const stored of entry.versions.values()) {
        if (!ids.has(stored)) ids.set(stored, ids.size + 1);
      }
    }
    return [...ids].map(([stored, id]) => ({ id, stored }));
  };
  return {
    lastId: async () => numbered().at(-1)?.id ?? 0,
    async between({ after, upTo }) {
      return numbered()
        .filter(({ id, stored }) => id > after && id <= upTo && !stored.entry.signatures)
        .map(({ id, stored: { entry } }) => {
          const { name, version, integrity } = entry;
          return { id, name, version, integrity };
        });
    },
    async keep(signed) {
      for (const { id, name, signatures } of signed) {
        const storedVersion = numbered().find((row) => row.id === id)?.stored;
        if (storedVersion && !storedVersion.entry.signatures)
          storedVersion.entry = { ...storedVersion.entry, signatures };
        documents.change(groupOf(name));
      }
    },
  };
}
