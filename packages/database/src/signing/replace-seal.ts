import { SYSTEM } from "@sealhouse/events";
import type { Seal } from "@sealhouse/nuget-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalBytesOf, textOf } from "../raw/row.ts";
import { refuseRetired } from "./certificate-state.ts";

export type SealedFile = {
  readonly id: string;
  readonly version: string;
  /** Of the file as received, hex. */
  readonly sha256: string;
};

/** Everybody who changes it waits for its row. */
const STANDING = `select v.id, v.blob_id, v.seal_plan, v.seal_fingerprint
  from nuget_packages p
  join nuget_versions v on v.package_id = p.id join blobs b on b.id = v.blob_id
  where p.lower_id = ? and v.lower_version = ? and b.digest = ?`;
/** The plan is kept for as long as nobody has hashed the file that it makes. */
const REMEMBER: Statement = {
  name: "nuget-seal-remember",
  sql: `insert into nuget_replaced_seals
      (version_id, plan, fingerprint, size, signed_at, replaced_at, sha256, sha512)
    select id, case when seal_sha256 is null then seal_plan end, seal_fingerprint, seal_size,
      seal_signed_at, ?, seal_sha256, seal_sha512
    from nuget_versions where id = ?`,
};
const REPLACE: Statement = {
  name: "nuget-seal-replace",
  sql: `update nuget_versions set seal_plan = ?, seal_fingerprint = ?, seal_size = ?,
      seal_signed_at = ?, seal_sha256 = null, seal_sha512 = null
    where id = ? and blob_id = ?`,
};
const FORGET: Statement = {
  name: "nuget-replaced-seals-drop",
  sql: "delete from nuget_replaced_seals where version_id = ?",
};

/**
 * Puts a new signature in the place of the one seen, which becomes history. `changed`: the version
 * has gone, or has other bytes or another signature by now, and nothing happens.
 * @throws RetiredCertificateError
 */
export function replaceSeal(
  changes: Changes,
  named: SealedFile,
  { seen, seal }: { readonly seen: Seal; readonly seal: Seal },
): Promise<"replaced" | "changed"> {
  return changes.transaction(async (unit) => {
    await refuseRetired(unit, seal.fingerprint);
    const row = await standing(unit, named);
    if (!row || !isSame(optionalBytesOf(row, "seal_plan"), seen.plan)) return "changed";
    const id = numberOf(row, "id");
    await unit.run(REMEMBER, [changes.now(), id]);
    const { plan, fingerprint, size, signedAt } = seal;
    const blob = numberOf(row, "blob_id");
    await unit.run(REPLACE, [plan, fingerprint, size, signedAt, id, blob]);
    await changes.event(unit, {
      type: "package.signed",
      subject: `nuget/${named.id}@${named.version}`,
      caller: SYSTEM,
      detail: { signedBy: fingerprint, signedBefore: textOf(row, "seal_fingerprint") },
    });
    return "replaced";
  });
}

async function standing({ read, forUpdate }: Unit, named: SealedFile): Promise<Row | undefined> {
  const sql = forUpdate === "" ? STANDING : `${STANDING}${forUpdate}`;
  const { id, version, sha256 } = named;
  const [row] = await read({ name: "nuget-sealed-for-change", sql }, [
    id.toLowerCase(),
    version.toLowerCase(),
    digestOfSha256(sha256),
  ]);
  return row;
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0;
}

/** Forgets the history of a version that goes, or gets other bytes. */
export async function dropReplacedSeals({ run }: Unit, versionId: number): Promise<void> {
  await run(FORGET, [versionId]);
}
