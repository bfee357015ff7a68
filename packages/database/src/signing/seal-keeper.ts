import { SYSTEM } from "@sealhouse/events";
import type { Seal } from "@sealhouse/nuget-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import { NuGetVersion } from "../entities/nuget.ts";
import { UnexpectedRowError } from "../errors.ts";
import { bufferOf } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import { isRetired } from "./certificate-state.ts";

/** Keeps a seal made on demand, unless the version has one, or has been given other bytes than the
 * sealed ones: everybody gets the first. Undefined: its certificate was retired meanwhile. */
export function keepSeal(
  changes: Changes,
  named: { readonly id: string; readonly version: string; readonly sha256: string },
  seal: Seal,
): Promise<Seal | undefined> {
  return changes.transaction(async (unit) => {
    const { catalog } = unit;
    const [row] = await unit.read(SEALED, [
      named.id.toLowerCase(),
      named.version.toLowerCase(),
      digestOfSha256(named.sha256),
    ]);
    if (!row) return seal;
    if (await isRetired(unit, seal.fingerprint)) return undefined;
    // Both again in the statement that writes: an overwrite may be under way.
    const version = { id: numberOf(row, "id"), blob: numberOf(row, "blob_id") };
    const kept = await catalog.nativeUpdate(
      NuGetVersion,
      { ...version, sealPlan: null },
      {
        sealPlan: bufferOf(seal.plan),
        sealFingerprint: seal.fingerprint,
        sealSize: seal.size,
        sealSignedAt: seal.signedAt,
      },
    );
    if (kept === 0) return firstSeal(catalog, version, seal);
    await changes.event(unit, {
      type: "package.signed",
      subject: `nuget/${named.id}@${named.version}`,
      caller: SYSTEM,
      detail: { signedBy: seal.fingerprint },
    });
    return seal;
  });
}

const SEALED: Statement = {
  name: "nuget-sealed-version",
  sql: `select v.id, v.blob_id from nuget_packages p
    join nuget_versions v on v.package_id = p.id join blobs b on b.id = v.blob_id
    where p.lower_id = ? and v.lower_version = ? and b.digest = ?`,
};

/** The seal somebody kept before; the given one when the version has gone in the meantime. */
async function firstSeal(
  catalog: Unit["catalog"],
  version: { readonly id: number; readonly blob: number },
  seal: Seal,
): Promise<Seal> {
  const row = await catalog.findOne(NuGetVersion, version, {
    fields: ["sealPlan", "sealFingerprint", "sealSize", "sealSignedAt"],
    disableIdentityMap: true,
  });
  if (!row) return seal;
  const { sealPlan, sealFingerprint, sealSize, sealSignedAt } = row;
  if (!sealPlan || !sealFingerprint || !sealSize || !sealSignedAt) {
    throw new UnexpectedRowError("seal_plan", sealPlan);
  }
  return { plan: sealPlan, fingerprint: sealFingerprint, size: sealSize, signedAt: sealSignedAt };
}
