import type { Caller } from "@sealhouse/request-types";
import type { NewPackage, PackageRecorder, RecordOutcome } from "@sealhouse/nuget-protocol";
import { digestOfSha256 } from "../../blobs/digest.ts";
import { nameBlob } from "../../blobs/name-blob.ts";
import { releaseBlobs } from "../../blobs/release-blobs.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import { claimOwn } from "../../upstream/name-origins.ts";
import { refuseRetired } from "../../signing/certificate-state.ts";
import { dropReplacedSeals } from "../../signing/replace-seal.ts";
import { dropSymbols } from "./drop-symbols.ts";
import { keepPackage } from "../statements/kept-packages.ts";
import { noteListed, noteOwners, noteReplaced, noteUnlisted } from "../search/newest-versions.ts";
import { openPackage } from "./open-package.ts";
import { deletedAt, findVersion } from "../statements/version-for-update.ts";
import type { VersionForUpdate, VersionNames } from "../statements/version-for-update.ts";
import { contentOf, insertVersion, replaceVersion } from "../statements/version-row.ts";
import type { VersionContent } from "../statements/version-row.ts";

export function createPackageRecorder(changes: Changes): PackageRecorder {
  return {
    record: (version, caller, { overwrite = false } = {}) =>
      record(changes, version, { caller, overwrite }),
    setListed: (id, version, listed, caller) => setListed(changes, { id, version, listed }, caller),
  };
}

const SET_LISTED = defineStatement(
  "nuget-version-set-listed",
  { id: param.whole, listed: param.flag },
  (db, { id, listed }) => db.updateTable("nuget_versions").set({ listed }).where("id", "=", id),
);

const REASON_LENGTH_MAX = 1_000;

type How = { readonly caller: Caller; readonly overwrite: boolean };

type Refused = Exclude<RecordOutcome, { readonly status: "recorded" }>;

/** Undoes the transaction, so that a refusal drops no documents. */
class RefusedPackage extends Error {
  override readonly name = "RefusedPackage";
  readonly code = "refused-package";
  readonly outcome: Refused;

  constructor(outcome: Refused) {
    super(`the package is refused: ${outcome.status}`);
    this.outcome = outcome;
  }
}

async function record(changes: Changes, newPackage: NewPackage, how: How): Promise<RecordOutcome> {
  const names = {
    lowerId: newPackage.id.toLowerCase(),
    lowerVersion: newPackage.version.toLowerCase(),
  };
  try {
    return await changes.transaction(async (unit) => {
      await changes.stale(unit, `nuget/${names.lowerId}`);
      const source = await otherSource(changes, unit, newPackage);
      if (source !== undefined) throw new RefusedPackage({ status: "mirrored", source });
      const old = await replacedVersion(unit, names, how);
      if (newPackage.seal) await refuseRetired(unit, newPackage.seal.fingerprint);
      const isDuplicate = await write(changes, unit, { newPackage, names, how, old });
      await announce(changes, unit, { newPackage, old, caller: how.caller });
      return { status: "recorded", isDuplicate, replaced: old !== undefined };
    });
  } catch (error) {
    if (error instanceof RefusedPackage) return error.outcome;
    throw error;
  }
}

/** The source of the id, when the version does not come from it. */
async function otherSource(
  changes: Changes,
  unit: Unit,
  { id, mirroredFrom }: NewPackage,
): Promise<string | undefined> {
  if (mirroredFrom !== undefined) return undefined;
  const now = changes.now();
  const owner = await claimOwn(unit, { protocol: "nuget", name: id.toLowerCase(), now });
  return owner?.mirroredFrom;
}

/**
 * The version that the new one may overwrite; undefined when the number is free.
 * @throws RefusedPackage when it is not
 */
async function replacedVersion(
  unit: Unit,
  names: VersionNames,
  how: How,
): Promise<VersionForUpdate | undefined> {
  const version = await findVersion(unit, names);
  if (version && !how.overwrite) throw new RefusedPackage({ status: "exists" });
  const gone = version ? undefined : await deletedAt(unit, names);
  if (gone) throw new RefusedPackage({ status: "tombstone", deletedAt: gone });
  return version;
}

type Write = {
  readonly newPackage: NewPackage;
  readonly names: VersionNames;
  readonly how: How;
  readonly old: VersionForUpdate | undefined;
};

/** Gives whether the new copy of the bytes is a duplicate. */
async function write(
  changes: Changes,
  unit: Unit,
  { newPackage, names, how, old }: Write,
): Promise<boolean> {
  const now = changes.now();
  const { sha256, key, size } = newPackage.blob;
  const digest = digestOfSha256(sha256);
  const blob = await nameBlob(unit, { protocol: "nuget", digest, key, size }, now);
  const { lowerId, lowerVersion } = names;
  const opened = { lowerId, displayId: newPackage.id, caller: how.caller };
  const packageId = await openPackage(changes, unit, opened);
  const content = contentOf(newPackage, how.caller, blob.id);
  if (old) {
    await keepPackage(changes, unit, { names, storedVersion: old });
    await replace(unit, old, content);
  } else {
    const id = await insertVersion(unit, { packageId, lowerVersion }, { newPackage, content });
    const { version, isPrerelease, isSemVer2 } = newPackage;
    if (isShown(newPackage))
      await noteListed(unit, packageId, { id, version, isPrerelease, isSemVer2 });
    else await noteOwners(unit, packageId);
  }
  return blob.isDuplicate;
}

/** Whether search finds the version. It does not find what is merely cached. */
function isShown({ listed = true, origin }: NewPackage): boolean {
  return listed && origin !== "Cached";
}

async function replace(unit: Unit, old: VersionForUpdate, content: VersionContent): Promise<void> {
  // They are of a build that can no longer be had.
  const symbols = await dropSymbols(unit, old.id);
  await dropReplacedSeals(unit, old.id);
  await replaceVersion(unit, old.id, content);
  await releaseBlobs(unit, [...symbols, old.blobId]);
  // Compares all versions again, because the replaced one may have been the newest for SemVer 1.
  await noteReplaced(unit, old.packageId, old.id);
}

async function announce(
  changes: Changes,
  unit: Unit,
  what: {
    readonly newPackage: NewPackage;
    readonly old: VersionForUpdate | undefined;
    readonly caller: Caller;
  },
): Promise<void> {
  const { newPackage, old, caller } = what;
  const { sha256, size } = newPackage.blob;
  const detail = {
    size,
    sha256,
    ...servedDigests(newPackage),
    ...(newPackage.seal && { signedBy: newPackage.seal.fingerprint }),
    ...(old && { replaced: true, replacedSha256: old.sha256 }),
  };
  const subject = `nuget/${newPackage.id}@${newPackage.version}`;
  await changes.event(unit, { type: "package.published", subject, caller, detail });
  if (newPackage.unsignedBecause === undefined) return;
  const reason = newPackage.unsignedBecause.slice(0, REASON_LENGTH_MAX);
  await changes.event(unit, { type: "package.unsigned", subject, caller, detail: { reason } });
}

/** Digests that prove later which bytes clients got, and that only signatures differ. */
function servedDigests({ seal, blob, contentHash }: NewPackage) {
  const servedSha256 = seal ? seal.digests?.sha256 : blob.sha256;
  return {
    ...(servedSha256 !== undefined && { servedSha256 }),
    ...(contentHash !== undefined && { contentHash }),
  };
}

function setListed(
  changes: Changes,
  listing: { readonly id: string; readonly version: string; readonly listed: boolean },
  caller: Caller,
): Promise<"changed" | "unchanged" | "absent"> {
  const lowerId = listing.id.toLowerCase();
  const lowerVersion = listing.version.toLowerCase();
  return changes.transaction(async (unit) => {
    unit.askedBy(caller);
    const early = await findVersion(unit, { lowerId, lowerVersion });
    if (!early) return "absent";
    if (early.listed === listing.listed) return "unchanged";
    await changes.stale(unit, `nuget/${lowerId}`);
    // Repeated after the lock, because another change of this package may have preceded.
    const storedVersion = await findVersion(unit, { lowerId, lowerVersion });
    if (!storedVersion) return "absent";
    if (storedVersion.listed === listing.listed) return "unchanged";
    const { listed } = listing;
    await unit.queries.run(SET_LISTED, { id: storedVersion.id, listed });
    if (listing.listed && storedVersion.origin !== "Cached")
      await noteListed(unit, storedVersion.packageId, storedVersion);
    else await noteUnlisted(unit, storedVersion.packageId);
    const type = listing.listed ? "package.relisted" : "package.unlisted";
    const subject = `nuget/${storedVersion.displayId}@${storedVersion.version}`;
    await changes.event(unit, { type, subject, caller });
    return "changed";
  });
}
