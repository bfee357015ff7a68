import type { Caller } from "@sealhouse/request-types";
import { declaredLength, headerText, requestBody } from "@sealhouse/http-responses";
import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { PackageName } from "../package-name.ts";
import type { DocumentLimits } from "../publish/document-scanner.ts";
import { DOCUMENT_LIMITS } from "../publish/publish-document.ts";
import type { PublishUpload } from "../publish/publish.ts";
import { publish, tarballTooLarge } from "../publish/publish.ts";
import type { PutOperation } from "../publish/put-operation.ts";
import type { Call } from "./call.ts";
import { json, refusalOf } from "./call.ts";
import { demandJson } from "./json-body.ts";
import { deprecateVersions, unpublishVersions } from "./lifecycle.ts";
import { changeOwners } from "./owners.ts";

/** `PUT /{package}`, and `PUT /{package}/-rev/{revision}` where a revision is given. */
export async function putPackage(
  call: Call,
  name: PackageName,
  revision?: string,
): Promise<Response> {
  const caller = await admitToChange(call, name, revision);
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
    case "other":
      return changeOtherwise(call, name, { ...outcome, revision });
  }
}

/** npm shows it beside its own output. */
export function noticeHeaders(notices: readonly string[] = []): Readonly<Record<string, string>> {
  return notices.length === 0 ? {} : { "npm-notice": headerText(notices.join(" ")) };
}

/** What a request hands in, checked as far as its headers tell. */
export function uploadFrom<Name extends PackageName | undefined>(
  { c, settings }: Call,
  given: Required<Pick<PublishUpload, "caller" | "onRevision" | "limits">> & {
    readonly name: Name;
  },
): Omit<PublishUpload, "name"> & { readonly name: Name } {
  demandJson(c);
  const { tarballBytesMax } = settings;
  const maxBytes = bodyBytesMax(tarballBytesMax, given.limits);
  if ((declaredLength(c) ?? 0) > maxBytes) throw tarballTooLarge(tarballBytesMax);
  const body = requestBody(c, { maxBytes, inflate: true });
  return { ...given, body, publishedAt: settings.now(), tarballBytesMax };
}

type OtherChange = {
  readonly operation: Exclude<PutOperation, "publish">;
  readonly body: JsonObject;
  readonly revision: string | undefined;
};

/** What else has the address of a publish. `putOperationOf` gives what belongs on a revision only
 * where there is one. */
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
      // Taken, so that nobody's script fails, and not kept.
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
async function admitToChange(call: Call, name: PackageName, revision?: string): Promise<Caller> {
  if (revision !== undefined) {
    const { c, ports } = call;
    const verdict = await ports.authorize(c.req.raw, c.env, { action: "delete", name });
    if (verdict.status === "granted") return verdict.caller;
  }
  return admitToPublish(call, name);
}

/** Whoever may only stage is told how. */
async function admitToPublish(call: Call, name: PackageName): Promise<Caller> {
  const { c, ports } = call;
  const wanted = { action: "publish", name } as const;
  const verdict = await ports.authorize(c.req.raw, c.env, wanted);
  if (verdict.status === "granted") return verdict.caller;
  if (verdict.status === "denied") {
    const staging = await ports.authorize(c.req.raw, c.env, { action: "stage", name });
    const way = "It is for staging what somebody else releases: use npm stage publish.";
    if (staging.status === "granted") throw new NpmError("forbidden", `${verdict.reason} ${way}`);
  }
  throw refusalOf(call, wanted, verdict);
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
    `${name} was unpublished by somebody else, for whom its name is kept until ` +
      `${until.toISOString()}.`,
  );
}

/** Whoever deprecates or unpublishes sends the whole packument back, which has no limit but that
 * of what was published: its manifests, and about as much again for what is put around them. */
async function limitsFor({ c, ports }: Call, name: PackageName): Promise<DocumentLimits> {
  const { metadataBytes } = DOCUMENT_LIMITS;
  if ((declaredLength(c) ?? 0) <= metadataBytes) return DOCUMENT_LIMITS;
  const stored = await ports.lifecycle.manifestBytes(name);
  return { ...DOCUMENT_LIMITS, metadataBytes: metadataBytes + 3 * stored };
}

/** Base64 takes four bytes for three; the metadata has a limit of its own. */
function bodyBytesMax(tarballBytesMax: number, { metadataBytes }: DocumentLimits): number {
  return Math.ceil(tarballBytesMax / 3) * 4 + metadataBytes;
}
