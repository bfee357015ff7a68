import type { Caller } from "@sealhouse/request-types";
import type { NewPackage } from "@sealhouse/nuget-protocol";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { bufferOf, storableText } from "../orm/changes.ts";

/** Columns from the content of a version, which an overwrite replaces. */
export function contentColumns(given: NewPackage, caller: Caller) {
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
    nuspec: bufferOf(given.nuspec),
    sha512: given.sha512,
    contentHash: given.contentHash ?? null,
    sealPlan: seal ? bufferOf(seal.plan) : null,
    sealFingerprint: seal?.fingerprint ?? null,
    sealSize: seal?.size ?? null,
    sealSignedAt: seal?.signedAt ?? null,
    sealSha256: null,
    sealSha512: null,
  };
}

/** Initial columns of a version, which an overwrite keeps. */
export function firstColumns(given: NewPackage) {
  return {
    listed: given.listed ?? true,
    publishedAt: given.publishedAt,
    downloads: 0,
    ...(given.deprecation && { deprecation: deprecationText(given.deprecation) }),
  };
}

export function deprecationText(deprecation: NonNullable<NewPackage["deprecation"]>): string {
  return storableText(JSON.stringify(deprecation));
}

export function actorText({ actor }: Caller): string {
  return storableText(actor).slice(0, NAME_LENGTH.actor);
}
