import { SYSTEM } from "@sealhouse/events";
import type { Seal } from "@sealhouse/nuget-protocol";
import { NuGetPackage, NuGetVersion } from "../entities/nuget.ts";
import { UnexpectedRowError } from "../errors.ts";
import { bufferOf } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";

/** Keeps a seal made on demand, unless the version has one: everybody gets the first. */
export function keepSeal(
  changes: Changes,
  named: { readonly id: string; readonly version: string },
  seal: Seal,
): Promise<Seal> {
  return changes.transaction(async (unit) => {
    const { catalog } = unit;
    const lowerId = named.id.toLowerCase();
    const found = await catalog.findOne(
      NuGetPackage,
      { lowerId },
      { fields: ["id"], disableIdentityMap: true },
    );
    const version = { package: found?.id ?? 0, lowerVersion: named.version.toLowerCase() };
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

/** The seal somebody kept before; the given one when the version has gone in the meantime. */
async function firstSeal(
  catalog: Parameters<Parameters<Changes["transaction"]>[0]>[0]["catalog"],
  version: { readonly package: number; readonly lowerVersion: string },
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
