import type { NpmSigningKeys, UnsignedVersions } from "./ports.ts";
import type { SignVersion } from "./version-signer.ts";

export type SignMissingParts = {
  readonly keys: Pick<NpmSigningKeys, "list" | "announce">;
  readonly versions: UnsignedVersions;
  readonly sign: SignVersion;
};

/** Ids in one step: what is between them is read, signed and written in a few milliseconds. */
const IDS_AT_ONCE = 200;

/**
 * Signs every version without a signature, then lists the keys: a registry that shows keys must
 * have signed everything. `after` is the last id known to be signed; it is used while the keys are
 * in the list, because otherwise signatures may have been removed. Returns the new last id and the
 * number of signatures. `pause` is called between steps, and may throw to stop.
 */
export async function signMissing(
  { keys, versions, sign }: SignMissingParts,
  { after, pause }: { readonly after: number; readonly pause: () => Promise<void> },
): Promise<{ readonly signedUpTo: number; readonly signed: number }> {
  const isTold = (await keys.list()).every(({ announcedAt }) => announcedAt !== undefined);
  let [signed, done] = [0, isTold ? after : 0];
  for (let last = await versions.lastId(); done < last; last = await versions.lastId()) {
    const upTo = Math.min(done + IDS_AT_ONCE, last);
    const missing = await versions.between({ after: done, upTo });
    const made = await Promise.all(
      missing.map(async (unsignedVersion) => ({
        ...unsignedVersion,
        signatures: await sign(unsignedVersion),
      })),
    );
    if (made.length > 0) await versions.keep(made);
    signed += made.length;
    done = upTo;
    await pause();
  }
  const all = await keys.list();
  if (all.some(({ announcedAt }) => announcedAt === undefined)) await keys.announce("all");
  return { signedUpTo: done, signed };
}
