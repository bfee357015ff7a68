import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import type { NewPackage } from "@sealhouse/nuget-protocol";
import { NAME_LENGTH } from "../../entities/name-length.ts";
import { storableText } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { inColumns } from "../../statements/in-columns.ts";
import { param } from "../../statements/kinds.ts";
import type { Values } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";

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
  // Null: computed later.
  sealSha256: param.optional(param.text(64)),
  sealSha512: param.optional(param.text(88)),
};

/** Content of a version as parameters of a statement. */
export type VersionContent = Values<typeof CONTENT>;

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
  (db, parameters) =>
    db.insertInto("nuget_versions").values({ ...inColumns(parameters), downloads: sql.lit(0) }),
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
  (db, { id, ...row }) => db.updateTable("nuget_versions").set(inColumns(row)).where("id", "=", id),
);

/** Content of a published version; `blobId` is the row of its bytes. */
export function contentOf(newPackage: NewPackage, caller: Caller, blobId: number): VersionContent {
  const { seal } = newPackage;
  return {
    displayId: newPackage.id,
    version: newPackage.version,
    fullVersion: newPackage.fullVersion,
    isPrerelease: newPackage.isPrerelease,
    isSemVer2: newPackage.isSemVer2,
    origin: newPackage.origin ?? "Published",
    publishedBy: actorText(caller),
    size: newPackage.blob.size,
    targetFrameworks: JSON.stringify(newPackage.targetFrameworks),
    dependencyIds: JSON.stringify(newPackage.dependencyIds),
    details: storableText(newPackage.details),
    nuspec: newPackage.nuspec,
    sha512: newPackage.sha512,
    contentHash: newPackage.contentHash,
    blobId,
    sealPlan: seal?.plan,
    sealFingerprint: seal?.fingerprint,
    sealSize: seal?.size,
    sealSignedAt: seal?.signedAt,
    sealSha256: seal?.digests?.sha256,
    sealSha512: seal?.digests?.sha512,
  };
}

/** Inserts a version and returns its row number. */
export async function insertVersion(
  { queries }: Pick<Unit, "queries">,
  key: Values<typeof KEY>,
  { newPackage, content }: { readonly newPackage: NewPackage; readonly content: VersionContent },
): Promise<number> {
  await queries.run(INSERT, {
    ...key,
    ...content,
    listed: newPackage.listed ?? true,
    publishedAt: newPackage.publishedAt,
    deprecation: newPackage.deprecation && deprecationText(newPackage.deprecation),
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
