import type { KeyRing } from "@sealhouse/identity";
import type { LentKeyRow, LentKeyRows, LentPlace } from "./ports.ts";

/** A key of one release, in plain text. */
export type LentKey = { readonly secret: string; readonly expiresAt: Date };

/** Keys of releases. None is shown, and each is only readable for its release and target. */
export type LentKeys = {
  /** Undefined when the key is absent, has expired or cannot be decrypted. */
  find(place: LentPlace): Promise<LentKey | undefined>;
  put(place: LentPlace, key: LentKey): Promise<void>;
  drop(place: LentPlace): Promise<void>;
};

/** Opens the lent keys of a database. The key ring encrypts them. */
export function openLentKeys(
  rows: LentKeyRows,
  keyRing: Pick<KeyRing, "protect" | "unprotect">,
): LentKeys {
  return {
    async find(place) {
      const row = await rows.find(place);
      const plain =
        row && (await keyRing.unprotect(purposeOf(place), row.sealed).catch(() => undefined));
      return row && plain && { secret: Buffer.from(plain).toString(), expiresAt: row.expiresAt };
    },
    put(place, { secret, expiresAt }) {
      const sealed = keyRing.protect(purposeOf(place), Buffer.from(secret));
      return rows.put(place, { sealed, expiresAt });
    },
    drop: (place) => rows.drop(place),
  };
}

/** A row that is copied to another release cannot be read there. */
function purposeOf({ release, target, name }: LentPlace): string {
  return `lent-key ${release} ${target.toLowerCase()} ${name}`;
}

/** Rows in memory, for a plan, which has no release. */
export function lentKeysInMemory(now: () => Date): LentKeyRows {
  const kept = new Map<string, LentKeyRow>();
  return {
    async find(place) {
      const row = kept.get(purposeOf(place));
      return row && row.expiresAt > now() ? row : undefined;
    },
    put: async (place, key) => void kept.set(purposeOf(place), key),
    drop: async (place) => void kept.delete(purposeOf(place)),
  };
}
