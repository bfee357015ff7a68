import { SYSTEM } from "@sealhouse/events";
import type { Seal } from "@sealhouse/nuget-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UnexpectedRowError } from "../errors.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { isRetired } from "./certificate-state.ts";
import { nugetVersions } from "../statements/versions-of.ts";

const VERSION = { id: param.whole, blob: param.whole };

const SEALED = defineStatement(
  "nuget-sealed-version",
  { id: param.text(128), version: param.text(256), digest: param.text(NAME_LENGTH.digest) },
  (db, { id, version, digest }) =>
    nugetVersions(db, id)
      .innerJoin("blobs as b", "b.id", "v.blob_id")
      .select(["v.id", "v.blob_id"])
      .where("v.lower_version", "=", version)
      .where("b.digest", "=", digest),
);
const KEEP = defineStatement(
  "nuget-seal-keep",
  {
    ...VERSION,
    plan: param.bytes,
    fingerprint: param.text(64),
    size: param.whole,
    signedAt: param.time,
  },
  (db, { id, blob, plan, fingerprint, size, signedAt }) =>
    db
      .updateTable("nuget_versions")
      .set({
        seal_plan: plan,
        seal_fingerprint: fingerprint,
        seal_size: size,
        seal_signed_at: signedAt,
      })
      .where("id", "=", id)
      .where("blob_id", "=", blob)
      .where("seal_plan", "is", null),
);
const FIRST = defineStatement("nuget-seal-first", VERSION, (db, { id, blob }) =>
  db
    .selectFrom("nuget_versions")
    .select(["seal_plan", "seal_fingerprint", "seal_size", "seal_signed_at"])
    .where("id", "=", id)
    .where("blob_id", "=", blob),
);

/**
 * Stores an on-demand signature, unless the version already has one or other bytes; all clients get
 * the first one. Undefined when its certificate was retired since.
 */
export function keepSeal(
  changes: Changes,
  file: { readonly id: string; readonly version: string; readonly sha256: string },
  seal: Seal,
): Promise<Seal | undefined> {
  return changes.transaction(async (unit) => {
    const { queries } = unit;
    const row = await queries.one(SEALED, {
      id: file.id.toLowerCase(),
      version: file.version.toLowerCase(),
      digest: digestOfSha256(file.sha256),
    });
    if (!row) return seal;
    if (await isRetired(unit, seal.fingerprint)) return undefined;
    // The update checks both again, because an overwrite may be running.
    const version = { id: row.id, blob: row.blob_id };
    const { plan, fingerprint, size, signedAt } = seal;
    const keptCount = await queries.run(KEEP, { ...version, plan, fingerprint, size, signedAt });
    if (keptCount === 0) return firstSeal(queries, version, seal);
    await changes.event(unit, {
      type: "package.signed",
      subject: `nuget/${file.id}@${file.version}`,
      caller: SYSTEM,
      detail: { signedBy: seal.fingerprint },
    });
    return seal;
  });
}

/** Returns the stored signature; the given one when the version was deleted since. */
async function firstSeal(
  queries: Unit["queries"],
  version: { readonly id: number; readonly blob: number },
  seal: Seal,
): Promise<Seal> {
  const row = await queries.one(FIRST, version);
  if (!row) return seal;
  const { seal_plan: plan, seal_fingerprint: fingerprint } = row;
  const { seal_size: size, seal_signed_at: signedAt } = row;
  if (!plan || !fingerprint || !size || !signedAt) throw new UnexpectedRowError("seal_plan", plan);
  return { plan, fingerprint, size, signedAt };
}
