import { sql } from "#kysely";
import { SYSTEM } from "@sealhouse/events";
import type { Seal } from "@sealhouse/nuget-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { refuseRetired } from "./certificate-state.ts";
import { nugetVersions } from "../statements/versions-of.ts";

/** A signed version, and the digest of its file. */
export type SealedFile = {
  readonly id: string;
  readonly version: string;
  /** SHA-256 of the file as received, in hex. */
  readonly sha256: string;
};

/** Locks the row, so that other changes wait. */
const HOLD = defineStatement(
  "nuget-sealed-for-change",
  { id: param.text(128), version: param.text(256), digest: param.text(NAME_LENGTH.digest) },
  (db, { id, version, digest }, own) =>
    own.forUpdate(
      nugetVersions(db, id)
        .innerJoin("blobs as b", "b.id", "v.blob_id")
        .select(["v.id", "v.blob_id", "v.seal_plan", "v.seal_fingerprint"])
        .where("v.lower_version", "=", version)
        .where("b.digest", "=", digest),
    ),
);
/** Keeps the plan until the signed file has digests. */
const REMEMBER = defineStatement(
  "nuget-seal-remember",
  { id: param.whole, at: param.time },
  (db, { id, at }) =>
    db
      .insertInto("nuget_replaced_seals")
      .columns([
        "version_id",
        "plan",
        "fingerprint",
        "size",
        "signed_at",
        "replaced_at",
        "sha256",
        "sha512",
      ])
      .expression(
        db
          .selectFrom("nuget_versions")
          .where("id", "=", id)
          .select((version) => [
            "id",
            version
              .case()
              .when("seal_sha256", "is", null)
              .then(version.ref("seal_plan"))
              .end()
              .as("plan"),
            version.ref("seal_fingerprint").$notNull().as("fingerprint"),
            version.ref("seal_size").$notNull().as("size"),
            version.ref("seal_signed_at").$notNull().as("signed_at"),
            sql<Date>`${at}`.as("replaced_at"),
            "seal_sha256",
            "seal_sha512",
          ]),
      ),
);
const REPLACE = defineStatement(
  "nuget-seal-replace",
  {
    id: param.whole,
    blob: param.whole,
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
        seal_sha256: null,
        seal_sha512: null,
      })
      .where("id", "=", id)
      .where("blob_id", "=", blob),
);
const FORGET = defineStatement("nuget-replaced-seals-drop", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("nuget_replaced_seals").where("version_id", "=", id),
);

/**
 * Replaces the given signature, which enters the history. `changed`: the version was deleted, or
 * has other bytes or another signature, and nothing changed.
 *
 * @throws RetiredCertificateError
 */
export function replaceSeal(
  changes: Changes,
  file: SealedFile,
  { seen, seal }: { readonly seen: Seal; readonly seal: Seal },
): Promise<"replaced" | "changed"> {
  return changes.transaction(async (unit) => {
    await refuseRetired(unit, seal.fingerprint);
    const row = await unit.queries.one(HOLD, {
      id: file.id.toLowerCase(),
      version: file.version.toLowerCase(),
      digest: digestOfSha256(file.sha256),
    });
    const signedBefore = row?.seal_fingerprint;
    if (!row || !isSame(row.seal_plan, seen.plan) || !signedBefore) return "changed";
    await unit.queries.run(REMEMBER, { id: row.id, at: changes.now() });
    const { plan, fingerprint, size, signedAt } = seal;
    const version = { id: row.id, blob: row.blob_id };
    await unit.queries.run(REPLACE, { ...version, plan, fingerprint, size, signedAt });
    await changes.event(unit, {
      type: "package.signed",
      subject: `nuget/${file.id}@${file.version}`,
      caller: SYSTEM,
      detail: { signedBy: fingerprint, signedBefore },
    });
    return "replaced";
  });
}

function isSame(bytes: Uint8Array | null, other: Uint8Array): boolean {
  return bytes !== null && Buffer.compare(bytes, other) === 0;
}

/** Forgets the history of a version that goes, or gets other bytes. */
export async function dropReplacedSeals(
  { queries }: Pick<Unit, "queries">,
  id: number,
): Promise<void> {
  await queries.run(FORGET, { id });
}
