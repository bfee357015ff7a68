import { declaredLength, requestBody } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { NpmError } from "../errors.ts";
import type { PackageName } from "../package-name.ts";
import { DOCUMENT_LIMITS } from "../publish/publish-document.ts";
import { publish, tarballTooLarge } from "../publish/publish.ts";
import type { PutOperation } from "../publish/put-operation.ts";
import type { Call } from "./call.ts";
import { admit, json } from "./call.ts";

/** `PUT /{package}` and `PUT /{package}/-rev/{revision}`. */
export async function putPackage(
  call: Call,
  name: PackageName,
  onRevision: boolean,
): Promise<Response> {
  const { c, ports, settings } = call;
  const caller = await admit(call, { action: "write", name });
  checkContentType(c);
  const { tarballBytesMax } = settings;
  const maxBytes = bodyBytesMax(tarballBytesMax);
  if ((declaredLength(c) ?? 0) > maxBytes) throw tarballTooLarge(tarballBytesMax);

  const outcome = await publish(ports, {
    name,
    body: requestBody(c, { maxBytes, inflate: true }),
    onRevision,
    caller,
    publishedAt: settings.now(),
    tarballBytesMax,
  });
  switch (outcome.status) {
    case "published":
    case "replayed":
      return json(call, { success: true });
    case "exists":
      // Release tools look for this very phrase, and take 409 for something else.
      throw new NpmError(
        "version-exists",
        `You cannot publish over the previously published versions: ${outcome.version}.`,
      );
    case "other":
      throw notBuilt(outcome.operation);
  }
}

/** `DELETE` of a package, or of the tarball of an unpublished version. */
export async function deletePackage(call: Call, name: PackageName): Promise<Response> {
  await admit(call, { action: "delete", name });
  throw notBuilt("unpublish");
}

const NOT_BUILT: Readonly<Record<Exclude<PutOperation, "publish" | "unknown">, string>> = {
  deprecate: "This registry cannot deprecate versions yet.",
  unpublish: "This registry cannot unpublish versions yet.",
  star: "This registry keeps no stars.",
  owner:
    "This registry keeps no list of owners: whoever has a token for a name may publish it. Its " +
    "operator makes tokens with `sealhouse token create`.",
};

function notBuilt(operation: Exclude<PutOperation, "publish">): NpmError {
  if (operation === "unknown") {
    const text =
      "The body has no tarball in _attachments, and is no other change npm makes either.";
    return new NpmError("document-invalid", text);
  }
  return new NpmError("unsupported", `${NOT_BUILT[operation]} Nothing was changed.`);
}

function checkContentType(c: Context): void {
  const type = c.req.header("content-type") ?? "";
  if (/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) return;
  throw new NpmError("not-json", "The body must be application/json, as npm publish sends it.");
}

/** Base64 takes four bytes for three; the metadata has a limit of its own. */
function bodyBytesMax(tarballBytesMax: number): number {
  return Math.ceil(tarballBytesMax / 3) * 4 + DOCUMENT_LIMITS.metadataBytes;
}
