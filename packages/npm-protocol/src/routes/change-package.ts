import { declaredLength, requestBody } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { PackageName } from "../package-name.ts";
import type { Caller } from "../ports.ts";
import type { DocumentLimits } from "../publish/document-scanner.ts";
import { DOCUMENT_LIMITS } from "../publish/publish-document.ts";
import { publish, tarballTooLarge } from "../publish/publish.ts";
import type { PutOperation } from "../publish/put-operation.ts";
import type { Call } from "./call.ts";
import { admit, json } from "./call.ts";
import { deprecateVersions, unpublishVersions } from "./lifecycle.ts";
import { changeOwners } from "./owners.ts";

/** `PUT /{package}`, and `PUT /{package}/-rev/{revision}` where a revision is given. */
export async function putPackage(
  call: Call,
  name: PackageName,
  revision?: string,
): Promise<Response> {
  const { c, ports, settings } = call;
  const caller = await admitToChange(call, name, revision);
  checkContentType(c);
  const { tarballBytesMax } = settings;
  const limits = await limitsFor(call, name);
  const maxBytes = bodyBytesMax(tarballBytesMax, limits);
  if ((declaredLength(c) ?? 0) > maxBytes) throw tarballTooLarge(tarballBytesMax);

  const outcome = await publish(ports, {
    name,
    body: requestBody(c, { maxBytes, inflate: true }),
    onRevision: revision !== undefined,
    caller,
    publishedAt: settings.now(),
    tarballBytesMax,
    limits,
  });
  switch (outcome.status) {
    case "published":
    case "replayed":
      return json(call, { success: true });
    case "exists":
      throw versionExists(outcome.version);
    case "burnt":
      throw versionExists(
        outcome.version,
        " It was unpublished since, and a version is never used twice: publish the next one.",
      );
    case "held":
      throw new NpmError(
        "forbidden",
        `${name} was unpublished by somebody else, for whom its name is kept until ` +
          `${outcome.until.toISOString()}.`,
      );
    case "other":
      return changeOtherwise(call, name, { ...outcome, revision });
  }
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
  return admit(call, { action: "publish", name });
}

/** Release tools look for this very phrase, and take 409 for something else. */
function versionExists(version: string, more = ""): NpmError {
  const phrase = "You cannot publish over the previously published versions";
  return new NpmError("version-exists", `${phrase}: ${version}.${more}`);
}

function checkContentType(c: Context): void {
  const type = c.req.header("content-type") ?? "";
  if (/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) return;
  throw new NpmError("not-json", "The body must be application/json, as npm publish sends it.");
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
