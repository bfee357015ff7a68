import type { Caller } from "@sealhouse/request-types";
import type { ByteRange } from "@sealhouse/http-responses";
import { errorCodeOf, readBody, sendBytes } from "@sealhouse/http-responses";
import { requireAccess, requireNamed, requirePull } from "../access.ts";
import { VERSION_HEADERS, sendNothing } from "../answer.ts";
import type { Call } from "../call.ts";
import { linkTo, queryOf } from "../call.ts";
import type { Digest } from "../digest.ts";
import { algorithmOf, digestOf } from "../digest.ts";
import { OciError } from "../errors.ts";
import { MAX_MANIFEST_BYTES, parseManifest, requireFewAnnotations } from "../manifest/manifest.ts";
import { immutableTag, recordManifest } from "../manifest/record-manifest.ts";
import type { NewManifest } from "../ports.ts";
import { isPullFor } from "../pull-counter.ts";
import type { Reference } from "../reference.ts";
import { isTag, parseReference } from "../reference.ts";
import type { RepositoryRoute } from "../route.ts";
import { readBeforePush } from "../upstream/read-before-push.ts";
import { refuseMirrored } from "../upstream/name-origin-errors.ts";
import { staleHeaders } from "../upstream/stale-headers.ts";
import { heldError, immutable } from "./blob.ts";

type ManifestRoute = Extract<RepositoryRoute, { type: "manifest" }>;

const MAX_TAGS_PER_PUSH = 100;
/** Maximum number of tags of a repository; imports and mirrors take more. */
const MAX_TAGS = 100_000;

/** Answers `/v2/<name>/manifests/<reference>`. */
export async function answerManifest(call: Call, route: ManifestRoute): Promise<Response> {
  switch (call.c.req.method) {
    case "PUT":
      return putManifest(call, route);
    case "DELETE":
      return deleteManifest(call, route);
    default:
      return readManifest(call, route);
  }
}

/** Answers with the pushed bytes and type and ignores `Accept`: another form would have another
 * digest. */
async function readManifest(call: Call, { name, reference: text }: ManifestRoute) {
  const { caller } = await requirePull(call, name);
  const reference = parseReference(text);
  const whole = call.c.req.method === "HEAD";
  const { manifests } = call.registry.ports;
  const find = () => manifests.find(name, text, { whole });
  const manifest = reference && (await readBeforePush(call, name, find));
  if (!reference || !manifest) throw unknown(text);
  const { bytes, mediaType, digest } = manifest;
  countPull(call, caller, { name, reference, digest });
  const source = { size: bytes.length, read: (range?: ByteRange) => once(bytes, range) };
  return sendBytes(call.c, source, {
    contentType: mediaType,
    etag: digest,
    cacheControl: reference.type === "tag" ? "no-cache, no-transform" : immutable(call),
    headers: { ...VERSION_HEADERS, "docker-content-digest": digest, ...staleHeaders(manifest) },
  });
}

async function putManifest(call: Call, { name, reference: text }: ManifestRoute) {
  const { caller } = await requireAccess(call, { action: "push", repository: name });
  await refuseMirrored(call, name);
  const reference = parseReference(text);
  if (!reference) throw badTag(text);
  const tags = reference.type === "tag" ? [reference.tag] : tagsAskedFor(call);
  const bytes = await readBody(call.c, MAX_MANIFEST_BYTES).catch(refuseHuge);
  const { kind: _, ...manifest } = parseManifest(bytes, call.c.req.header("content-type"));
  requireFewAnnotations(manifest);
  const digest = digestOfPush(bytes, reference);
  const pushed = { ...manifest, repository: name, digest, bytes, tags, tagsMax: MAX_TAGS };
  await record(call, caller, pushed);
  return sendNothing(call.c, 201, {
    location: linkTo(call, name, `manifests/${digest}`),
    "docker-content-digest": digest,
    ...(manifest.subject !== undefined && { "oci-subject": manifest.subject }),
    ...(reference.type === "digest" && tags.length > 0 && { "oci-tag": tags.join(", ") }),
  });
}

async function deleteManifest(call: Call, { name, reference: text }: ManifestRoute) {
  const { caller } = await requireNamed(call, { action: "delete", repository: name });
  const reference = parseReference(text);
  const isRemoved = reference && (await remove(call, caller, { name, reference }));
  if (!isRemoved) throw unknown(text);
  return sendNothing(call.c, 202, {});
}

type Target = { readonly name: ManifestRoute["name"]; readonly reference: Reference };

async function remove({ registry }: Call, caller: Caller, { name, reference }: Target) {
  const { manifests } = registry.ports;
  const outcome =
    reference.type === "tag"
      ? await manifests.deleteTag(name, reference.tag, caller)
      : await manifests.deleteManifest(name, reference.digest, caller);
  if (outcome === "held")
    throw heldError(reference.type === "tag" ? reference.tag : reference.digest);
  if (typeof outcome === "string") return outcome === "deleted";
  const advice = "neither the tag nor its manifest can be deleted";
  throw immutableTag(outcome, { status: 403, advice });
}

async function record({ registry }: Call, caller: Caller, manifest: NewManifest): Promise<void> {
  const { manifests, count } = registry.ports;
  const { allowsSparseIndexes: isSparse } = registry;
  const outcome = await recordManifest(manifests, manifest, caller, { isSparse });
  // Clients push platforms, signatures and other parts by digest, without a tag.
  const isPush = outcome === "recorded" && manifest.tags.length > 0;
  if (isPush) count("push", manifest.repository);
}

function refuseHuge(error: unknown): never {
  if (errorCodeOf(error) !== "body-too-large") throw error;
  const message = `manifest invalid: it has more than ${MAX_MANIFEST_BYTES} bytes`;
  throw new OciError("MANIFEST_INVALID", { status: 413, message, cause: error });
}

function digestOfPush(bytes: Uint8Array, reference: Reference): Digest {
  if (reference.type === "tag") return digestOf(bytes);
  const digest = digestOf(bytes, algorithmOf(reference.digest));
  if (digest === reference.digest) return digest;
  const message = "the manifest does not have the digest it was pushed by";
  throw new OciError("DIGEST_INVALID", {
    message,
    details: [{ digest: reference.digest, received: digest }],
  });
}

/** Returns the tags of `?tag=a&tag=b` in a push by digest (distribution-spec draft 1.2). */
function tagsAskedFor(call: Call): readonly string[] {
  const tags = [...new Set(queryOf(call).getAll("tag"))];
  if (tags.length > MAX_TAGS_PER_PUSH) {
    const message = `one push may set ${MAX_TAGS_PER_PUSH} tags at most`;
    throw new OciError("MANIFEST_INVALID", { status: 414, message });
  }
  const wrong = tags.find((tag) => !isTag(tag));
  if (wrong !== undefined) throw badTag(wrong);
  return tags;
}

function countPull(
  { c, registry }: Call,
  caller: Caller,
  { name, reference, digest }: Target & { readonly digest: Digest },
): void {
  const method = c.req.method === "HEAD" ? "HEAD" : "GET";
  const read = { caller, repository: name, by: reference.type, method, digest } as const;
  const isPull = isPullFor(registry.startsPull, read, c.req.header("if-none-match"));
  if (isPull) registry.ports.count("pull", name);
}

function badTag(tag: string): OciError {
  const message =
    "a tag is up to 128 letters, digits and . _ -, and does not begin with a dot or a dash";
  return new OciError("MANIFEST_INVALID", { message, details: [{ tag: tag.slice(0, 200) }] });
}

function unknown(reference: string): OciError {
  return new OciError("MANIFEST_UNKNOWN", { details: [{ reference: reference.slice(0, 200) }] });
}

async function* once(bytes: Uint8Array, range?: ByteRange): AsyncIterable<Uint8Array> {
  yield range ? bytes.subarray(range.start, range.end + 1) : bytes;
}
