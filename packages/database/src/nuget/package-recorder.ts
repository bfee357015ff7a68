import type { Caller, NewPackage, PackageRecorder } from "@sealhouse/nuget-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import { nameBlob } from "../blobs/name-blob.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { NuGetPackage, NuGetVersion } from "../entities/nuget.ts";
import { bufferOf, storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { flagOf, numberOf, textOf } from "../raw/row.ts";
import { noteListed, noteUnlisted } from "./newest-versions.ts";

export function createPackageRecorder(changes: Changes): PackageRecorder {
  return {
    record: (version, caller, _options) => record(changes, version, caller),
    setListed: (id, version, listed, caller) => setListed(changes, { id, version, listed }, caller),
  };
}

type Recorded = Awaited<ReturnType<PackageRecorder["record"]>>;

function record(changes: Changes, given: NewPackage, caller: Caller): Promise<Recorded> {
  const lowerId = given.id.toLowerCase();
  const lowerVersion = given.version.toLowerCase();
  return changes.transaction(async (unit) => {
    if (await findVersion(unit, lowerId, lowerVersion)) return { status: "duplicate" };
    await changes.stale(unit, `nuget/${lowerId}`);
    const now = changes.now();
    const { sha256, key, size } = given.blob;
    const digest = digestOfSha256(sha256);
    const blob = await nameBlob(unit, { protocol: "nuget", digest, key, size }, now);
    const packageId = await openPackage(unit, { lowerId, displayId: given.id }, now);
    const named = { package: packageId, lowerVersion, blob: blob.id };
    const row = { ...versionRow(given), ...named, publishedBy: actorText(caller) };
    const { version, isPrerelease, isSemVer2 } = given;
    const versionId = await unit.catalog.insert(NuGetVersion, row);
    await noteListed(unit, packageId, { id: versionId, version, isPrerelease, isSemVer2 });
    const subject = `nuget/${given.id}@${given.version}`;
    const detail = { size, sha256, ...(given.seal && { signedBy: given.seal.fingerprint }) };
    await changes.event(unit, { type: "package.published", subject, caller, detail });
    return { status: "recorded", surplus: blob.surplus, replaced: false };
  });
}

function setListed(
  changes: Changes,
  wanted: { readonly id: string; readonly version: string; readonly listed: boolean },
  caller: Caller,
): Promise<"changed" | "unchanged" | "absent"> {
  const lowerId = wanted.id.toLowerCase();
  const lowerVersion = wanted.version.toLowerCase();
  return changes.transaction(async (unit) => {
    const found = await findVersion(unit, lowerId, lowerVersion);
    if (!found) return "absent";
    if (found.listed === wanted.listed) return "unchanged";
    await changes.stale(unit, `nuget/${lowerId}`);
    // Asked again, because another change may have been waited for.
    const changed = await unit.catalog.nativeUpdate(
      NuGetVersion,
      { id: found.id, listed: !wanted.listed },
      { listed: wanted.listed },
    );
    if (changed === 0) return "unchanged";
    if (wanted.listed) await noteListed(unit, found.packageId, found);
    else await noteUnlisted(unit, found.packageId);
    const type = wanted.listed ? "package.relisted" : "package.unlisted";
    const subject = `nuget/${found.displayId}@${found.version}`;
    await changes.event(unit, { type, subject, caller });
    return "changed";
  });
}

function actorText({ actor }: Caller): string {
  return storableText(actor).slice(0, NAME_LENGTH.actor);
}

const VERSION: Statement = {
  name: "nuget-version-for-change",
  sql: `select v.id, v.package_id, v.listed, v.display_id, v.version, v.is_prerelease,
      v.is_sem_ver2
    from nuget_packages p join nuget_versions v on v.package_id = p.id
    where p.lower_id = ? and v.lower_version = ?`,
};
const PACKAGE: Statement = {
  name: "nuget-package-for-change",
  sql: "select id, display_id from nuget_packages where lower_id = ?",
};

async function findVersion({ read }: Unit, lowerId: string, lowerVersion: string) {
  const [row] = await read(VERSION, [lowerId, lowerVersion]);
  return (
    row && {
      id: numberOf(row, "id"),
      packageId: numberOf(row, "package_id"),
      listed: flagOf(row, "listed"),
      displayId: textOf(row, "display_id"),
      version: textOf(row, "version"),
      isPrerelease: flagOf(row, "is_prerelease"),
      isSemVer2: flagOf(row, "is_sem_ver2"),
    }
  );
}

async function openPackage(
  { catalog, read }: Unit,
  { lowerId, displayId }: { readonly lowerId: string; readonly displayId: string },
  now: Date,
): Promise<number> {
  const [known] = await read(PACKAGE, [lowerId]);
  if (!known) {
    return catalog.insert(NuGetPackage, { lowerId, displayId, createdAt: now, downloads: 0 });
  }
  const id = numberOf(known, "id");
  if (textOf(known, "display_id") !== displayId) {
    await catalog.nativeUpdate(NuGetPackage, { id }, { displayId });
  }
  return id;
}

function versionRow(given: NewPackage) {
  const { id, title, tags, authors, description, seal } = given;
  const searched = [id, title, ...tags, authors, description].join("\n").toLowerCase();
  return {
    displayId: id,
    version: given.version,
    fullVersion: given.fullVersion,
    isPrerelease: given.isPrerelease,
    isSemVer2: given.isSemVer2,
    listed: given.listed ?? true,
    origin: given.origin ?? "Published",
    size: given.blob.size,
    targetFrameworks: JSON.stringify(given.targetFrameworks),
    dependencyIds: JSON.stringify(given.dependencyIds),
    ...(given.deprecation && { deprecation: JSON.stringify(given.deprecation) }),
    publishedAt: given.publishedAt,
    downloads: 0,
    details: storableText(given.details),
    nuspec: bufferOf(given.nuspec),
    sha512: given.sha512,
    packageTypes: JSON.stringify(given.packageTypes.map((type) => type.toLowerCase())),
    searchText: storableText(searched),
    ...(seal && {
      sealPlan: bufferOf(seal.plan),
      sealFingerprint: seal.fingerprint,
      sealSize: seal.size,
      sealSignedAt: seal.signedAt,
    }),
  };
}
