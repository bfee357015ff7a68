import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import type { NewPackage } from "@sealhouse/nuget-protocol";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";

/** Parameters from the content of a version, which an overwrite replaces. */
const CONTENT = {
  displayId: param.text(128),
  version: param.text(256),
  fullVersion: param.text(256),
  isPrerelease: param.flag,
  isSemVer2: param.flag,
  origin: param.text(16),
  publishedBy: param.text(NAME_LENGTH.actor),
  size: param.whole,
  targetFrameworks: param.longText,
  dependencyIds: param.longText,
  details: param.longText,
  nuspec: param.bytes,
  sha512: param.text(88),
  contentHash: param.optional(param.text(88)),
  blobId: param.whole,
  sealPlan: param.optional(param.bytes),
  sealFingerprint: param.optional(param.text(64)),
  sealSize: param.optional(param.whole),
  sealSignedAt: param.optional(param.time),
};

/** Content of a version as parameters of a statement. */
export type VersionContent = Values<typeof CONTENT>;

const contentRow = (given: Parameters<typeof CONTENT>) => ({
  display_id: given.displayId,
  version: given.version,
  full_version: given.fullVersion,
  is_prerelease: given.isPrerelease,
  is_sem_ver2: given.isSemVer2,
  origin: given.origin,
  published_by: given.publishedBy,
  size: given.size,
  target_frameworks: given.targetFrameworks,
  dependency_ids: given.dependencyIds,
  details: given.details,
  nuspec: given.nuspec,
  sha512: given.sha512,
  content_hash: given.contentHash,
  blob_id: given.blobId,
  seal_plan: given.sealPlan,
  seal_fingerprint: given.sealFingerprint,
  seal_size: given.sealSize,
  seal_signed_at: given.sealSignedAt,
  // Computed later.
  seal_sha256: sql.lit(null),
  seal_sha512: sql.lit(null),
});

const KEY = { packageId: param.whole, lowerVersion: param.text(256) };
const INSERT = defineStatement(
  "nuget-version-insert",
  {
    ...KEY,
    ...CONTENT,
    listed: param.flag,
    publishedAt: param.time,
    deprecation: param.optional(param.longText),
  },
  (db, given) =>
    db.insertInto("nuget_versions").values({
      package_id: given.packageId,
      lower_version: given.lowerVersion,
      ...contentRow(given),
      listed: given.listed,
      published_at: given.publishedAt,
      downloads: sql.lit(0),
      deprecation: given.deprecation,
    }),
);
const INSERTED = defineStatement("nuget-version-inserted", KEY, (db, { packageId, lowerVersion }) =>
  db
    .selectFrom("nuget_versions")
    .where("package_id", "=", packageId)
    .where("lower_version", "=", lowerVersion)
    .select("id"),
);
const REPLACE = defineStatement(
  "nuget-version-replace",
  { id: param.whole, ...CONTENT },
  (db, given) => db.updateTable("nuget_versions").set(contentRow(given)).where("id", "=", given.id),
);

/** Content of a published version; `blobId` is the row of its bytes. */
export function contentOf(given: NewPackage, caller: Caller, blobId: number): VersionContent {
  const { seal } = given;
  return {
    displayId: given.id,
    version: given.version,
    fullVersion: given.fullVersion,
    isPrerelease: given.isPrerelease,
    isSemVer2: given.isSemVer2,
    origin: given.origin ?? "Published",
    publishedBy: actorText(caller),
    size: given.blob.size,
    targetFrameworks: JSON.stringify(given.targetFrameworks),
    dependencyIds: JSON.stringify(given.dependencyIds),
    details: storableText(given.details),
    nuspec: given.nuspec,
    sha512: given.sha512,
    contentHash: given.contentHash,
    blobId,
    sealPlan: seal?.plan,
    sealFingerprint: seal?.fingerprint,
    sealSize: seal?.size,
    sealSignedAt: seal?.signedAt,
  };
}

/** Inserts a version and returns its row number. */
export async function insertVersion(
  { queries }: Pick<Unit, "queries">,
  key: Values<typeof KEY>,
  { given, content }: { readonly given: NewPackage; readonly content: VersionContent },
): Promise<number> {
  await queries.run(INSERT, {
    ...key,
    ...content,
    listed: given.listed ?? true,
    publishedAt: given.publishedAt,
    deprecation: given.deprecation && deprecationText(given.deprecation),
  });
  const inserted = await queries.one(INSERTED, key);
  if (!inserted) throw new Error(`the version ${content.version} has no row`);
  return inserted.id;
}

/** Replaces the content of a version; its listing, time and downloads stay. */
export async function replaceVersion(
  { queries }: Pick<Unit, "queries">,
  id: number,
  content: VersionContent,
): Promise<void> {
  await queries.run(REPLACE, { id, ...content });
}

export function deprecationText(deprecation: NonNullable<NewPackage["deprecation"]>): string {
  return storableText(JSON.stringify(deprecation));
}

export function actorText({ actor }: Caller): string {
  return storableText(actor).slice(0, NAME_LENGTH.actor);
}
