import type { Caller } from "@sealhouse/request-types";
import { declaredLength, headerText, requestBody } from "@sealhouse/http-responses";
import { DIST_TAGS_MAX } from "../dist-tag.ts";
import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { PackageName } from "../package-name.ts";
import type { DocumentLimits } from "../publish/document-scanner.ts";
import { DOCUMENT_LIMITS } from "../publish/publish-document.ts";
import type { PublishUpload } from "../publish/publish.ts";
import { publish, tarballTooLarge } from "../publish/publish.ts";
import type { PutOperation } from "../publish/put-operation.ts";
import { nameMirrored } from "../upstream/name-mirrored.ts";
import type { Call } from "./call.ts";
import { json, refusalOf } from "./call.ts";
import { requireJson } from "./json-body.ts";
import { deprecateVersions, unpublishVersions } from "./lifecycle.ts";
import { changeOwners } from "./owners.ts";

/** `PUT /{package}`, and `PUT /{package}/-rev/{revision}` where a revision is given. */
export async function putPackage(
  call: Call,
  name: PackageName,
  revision?: string,
): Promise<Response> {
  const caller = await authorizeChange(call, name, revision);
  const limits = await limitsFor(call, name);
  const onRevision = revision !== undefined;
  const upload = uploadFrom(call, { name, caller, onRevision, limits });
  const outcome = await publish(call.ports, upload);
  switch (outcome.status) {
    case "published":
    case "replayed":
      return json(call, { success: true }, 200, noticeHeaders(outcome.notices));
    case "exists":
    case "deleted":
      throw publishRefused(outcome.differs ?? outcome.status, outcome.version);
    case "reserved":
      throw nameReserved(name, outcome.until);
    case "tags-full":
      throw tagsFull(name);
    case "mirrored":
      throw nameMirrored(name, outcome.source);
    case "other":
      return changeOtherwise(call, name, { ...outcome, revision });
  }
}

/** npm shows it in its own output. */
export function noticeHeaders(notices: readonly string[] = []): Readonly<Record<string, string>> {
  return notices.length === 0 ? {} : { "npm-notice": headerText(notices.join(" ")) };
}

/** A submitted document, checked as far as its headers allow. */
export function uploadFrom<Name extends PackageName | undefined>(
  { c, settings }: Call,
  fields: Required<Pick<PublishUpload, "caller" | "onRevision" | "limits">> & {
    readonly name: Name;
  },
): Omit<PublishUpload, "name"> & { readonly name: Name } {
  requireJson(c);
  const { tarballBytesMax } = settings;
  const maxBytes = bodyBytesMax(tarballBytesMax, fields.limits);
  if ((declaredLength(c) ?? 0) > maxBytes) throw tarballTooLarge(tarballBytesMax);
  const body = requestBody(c, { maxBytes, inflate: true });
  return { ...fields, body, publishedAt: settings.now(), tarballBytesMax };
}

type OtherChange = {
  readonly operation: Exclude<PutOperation, "publish">;
  readonly body: JsonObject;
  readonly revision: string | undefined;
};

/**
 * Other operations at the address of a publish. `putOperationOf` returns revision-bound operations
 * only with a revision.
 */
async function changeOtherwise(
  call: Call,
  name: PackageName,
  { operation, body, revision = "" }: OtherChange,
): Promise<Response> {
  switch (operation) {
    case "deprecate":
      return deprecateVersions(call, name, body);
    case "unpublish":
      return unpublishVersions(call, name, { body, revision });
    case "owner":
      return changeOwners(call, name, { body, revision });
    case "star":
      // Accepted, so that scripts do not fail, and not stored.
      return json(call, { success: true });
    case "unknown": {
      const text =
        "The body has no tarball in _attachments, and is no other change npm makes either.";
      throw new NpmError("document-invalid", text);
    }
  }
}

/** Unpublishing takes another right than writing, and which of them it is the body tells. Until it
 * is read, either will do; each change asks again for what it needs. */
async function authorizeChange(call: Call, name: PackageName, revision?: string): Promise<Caller> {
  if (revision !== undefined) {
    const { c, ports, hidden } = call;
    const verdict = await ports.authorize(c.req.raw, c.env, { action: "delete", name });
    if (verdict.status === "absent") hidden.add(name);
    if (verdict.status === "granted" || verdict.status === "absent") return verdict.caller;
  }
  return authorizePublish(call, name);
}

/** Tells a caller with only the right to stage how to do so. */
async function authorizePublish(call: Call, name: PackageName): Promise<Caller> {
  const { c, ports } = call;
  const access = { action: "publish", name } as const;
  const verdict = await ports.authorize(c.req.raw, c.env, access);
  if (verdict.status === "granted") return verdict.caller;
  if (verdict.status === "denied") {
    const staging = await ports.authorize(c.req.raw, c.env, { action: "stage", name });
    const way = "This token can only stage; use npm stage publish.";
    if (staging.status === "granted") throw new NpmError("forbidden", `${verdict.reason} ${way}`);
  }
  throw refusalOf(call, verdict);
}

/** Release tools look for this very phrase, and take 409 for something else. */
export function publishRefused(why: keyof typeof REFUSALS, version: string): NpmError {
  const phrase = "You cannot publish over the previously published versions";
  return new NpmError("exists", `${phrase}: ${version}.${REFUSALS[why]}`);
}

const REFUSALS = {
  exists: "",
  deleted: " It was unpublished since, and a version is never used twice: publish the next one.",
  tags: " It was published with other tags a moment ago: npm dist-tag add sets another tag.",
};

export function nameReserved(name: string, until: Date): NpmError {
  return new NpmError(
    "forbidden",
    `${name} was unpublished and is reserved for its former publisher until ` +
      `${until.toISOString()}.`,
  );
}

export function tagsFull(name: string): NpmError {
  return new NpmError(
    "forbidden",
    `${name} has ${DIST_TAGS_MAX} dist-tags, the most that a package may have. Use a tag that it ` +
      `has, or remove one: npm dist-tag rm ${name} <tag>.`,
  );
}

/**
 * Deprecate and unpublish send the whole packument back, which is as large as all published
 * manifests, and about as much again for the rest.
 */
async function limitsFor({ c, ports }: Call, name: PackageName): Promise<DocumentLimits> {
  const { metadataBytes } = DOCUMENT_LIMITS;
  if ((declaredLength(c) ?? 0) <= metadataBytes) return DOCUMENT_LIMITS;
  const stored = await ports.lifecycle.manifestBytes(name);
  return { ...DOCUMENT_LIMITS, metadataBytes: metadataBytes + 3 * stored };
}

/** Base64 takes four bytes for three; the metadata has its own limit. */
function bodyBytesMax(tarballBytesMax: number, { metadataBytes }: DocumentLimits): number {
  return Math.ceil(tarballBytesMax / 3) * 4 + metadataBytes;
}
