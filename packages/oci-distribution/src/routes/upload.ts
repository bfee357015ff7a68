import type { Caller } from "@sealhouse/request-types";
import { declaredLength, requestBody } from "@sealhouse/http-responses";
import type { Granted } from "../access.ts";
import { challenge, requireAccess, requireNamed } from "../access.ts";
import { sendNoContent, sendNothing } from "../answer.ts";
import type { Call } from "../call.ts";
import { linkTo, queryOf } from "../call.ts";
import type { Digest } from "../digest.ts";
import { isDigest, parseDigest, parseDigestAlgorithm } from "../digest.ts";
import { OciError } from "../errors.ts";
import type { UploadSession } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";
import { isRepositoryName } from "../repository-name.ts";
import type { RepositoryRoute } from "../route.ts";
import { formatReceivedRange, parseContentRange } from "../upload/content-range.ts";
import type { Chunk, Uploading } from "../upload/upload.ts";
import { ownerOf } from "../upload/upload-ids.ts";
import { refuseMirrored } from "../upstream/name-origin-errors.ts";
import { OutOfOrder, appendChunk, cancelUpload, closeUpload, storeBlob } from "../upload/upload.ts";

type StartRoute = Extract<RepositoryRoute, { type: "uploads" }>;
type SessionRoute = Extract<RepositoryRoute, { type: "upload" }>;

/** Answers `POST /v2/<name>/blobs/uploads/`: mounts or stores a blob, or begins a session. */
export async function startUpload(call: Call, { name }: StartRoute): Promise<Response> {
  const granted = await requireAccess(call, { action: "push", repository: name });
  await refuseMirrored(call, name);
  const query = queryOf(call);
  const mount = query.get("mount");
  const digest = query.get("digest");
  if (mount !== null) {
    const mounted = await mountBlob(call, name, granted, { mount, from: query.get("from") });
    return mounted ?? beginSession(call, name, granted.caller);
  }
  if (digest === null) return beginSession(call, name, granted.caller);
  const whole = parseDigest(digest);
  await storeBlob(uploadingOf(call, granted), name, chunkOf(call), whole);
  return created(call, name, whole);
}

/** Answers `/v2/<name>/blobs/uploads/<id>`. */
export async function answerUpload(call: Call, route: SessionRoute): Promise<Response> {
  const { session, granted } = await sessionOf(call, route);
  try {
    return await continueUpload(call, session, granted);
  } catch (error) {
    if (error instanceof OutOfOrder) throw rangeNotSatisfiable(call, error);
    throw error;
  }
}

async function continueUpload(
  call: Call,
  session: UploadSession,
  granted: Granted,
): Promise<Response> {
  const { c } = call;
  const uploading = uploadingOf(call, granted);
  const { repository } = session;
  switch (c.req.method) {
    case "PATCH": {
      const offset = await appendChunk(uploading, session, chunkOf(call));
      return sendNothing(c, 202, headersOf(call, { ...session, offset }));
    }
    case "PUT": {
      const digest = parseDigest(queryOf(call).get("digest") ?? "");
      await closeUpload(uploading, session, chunkOf(call), digest);
      return created(call, repository, digest);
    }
    case "DELETE":
      await cancelUpload(uploading, session);
      return sendNoContent(c, {});
    default:
      return sendNoContent(c, headersOf(call, session));
  }
}

const ID = /^[0-9a-f-]{36}$/;

/** Finds a session. One of another repository or owner gets 404, and one of a hidden repository. */
async function sessionOf(
  call: Call,
  { name, id }: SessionRoute,
): Promise<{ readonly session: UploadSession; readonly granted: Granted }> {
  const access = { action: "push", repository: name, isContinued: true } as const;
  const granted = await requireNamed(call, access);
  const shownName = await call.hidden.shown(name);
  const { ports, uploading } = call.registry;
  const since = uploading.expiry?.idleSince();
  const owner = ownerOf(granted.caller);
  const stored = ID.test(id) ? await ports.uploads.find(id, since) : undefined;
  const session = stored ?? uploading.ids.find(id, { repository: shownName, owner }, since);
  if (session?.repository !== shownName || session.owner !== owner) {
    throw new OciError("BLOB_UPLOAD_UNKNOWN", { details: [{ upload: id.slice(0, 200) }] });
  }
  return { session, granted };
}

function uploadingOf({ registry }: Call, { caller, mayPull }: Granted): Uploading {
  return { ...registry.uploading, caller, mayPull };
}

/** Begins a session. Stores nothing, because the id is self-contained. */
function beginSession(call: Call, repository: RepositoryName, caller: Caller): Response {
  const hint = queryOf(call).get("digest-algorithm");
  const algorithm = hint === null ? "sha256" : parseDigestAlgorithm(hint);
  const owner = { repository, owner: ownerOf(caller) };
  const { ids } = call.registry.uploading;
  const session = ids.begin(owner, algorithm === "sha512" ? algorithm : undefined);
  return sendNothing(call.c, 202, headersOf(call, session));
}

/** Mounts a blob; undefined if it cannot be mounted. Does not reveal the reason, because that would
 * show which blobs exist. Section "Mounting a blob from another repository" requires a 202 then. */
async function mountBlob(
  call: Call,
  name: RepositoryName,
  { mayPull, caller }: Granted,
  { mount, from }: { readonly mount: string; readonly from: string | null },
): Promise<Response | undefined> {
  const repository = from === null ? undefined : `${call.mapping.prefix}${from}`;
  if (!isDigest(mount) || (repository !== undefined && !isRepositoryName(repository))) {
    return undefined;
  }
  if (repository !== undefined && !(await opensSource(call, name, repository))) return undefined;
  const source =
    repository === undefined ? { mayPull, caller } : { repository, mayPull: () => true, caller };
  const mounted = await call.registry.ports.blobs.mount(name, mount, source);
  return mounted ? created(call, name, mount) : undefined;
}

/** Returns true if the credentials can pull from a mount source. Otherwise challenges for a token
 * with both scopes if the caller may get one, even if the source does not exist. */
async function opensSource(
  call: Call,
  name: RepositoryName,
  source: RepositoryName,
): Promise<boolean> {
  const { c, registry } = call;
  const access = { action: "pull", repository: source } as const;
  const verdict = await registry.ports.authorize(c.req.raw, c.env, access);
  if (verdict.status !== "anonymous") return verdict.status === "granted";
  throw challenge(call, { action: "push", repository: name }, verdict.error, [access]);
}

function chunkOf({ c }: Call): Chunk {
  const length = declaredLength(c);
  const range = c.req.header("content-range");
  const parsed = range === undefined ? undefined : parseContentRange(range);
  if (range !== undefined && !parsed) {
    const message = "Content-Range must be two byte positions: start-end";
    throw new OciError("BLOB_UPLOAD_INVALID", { message });
  }
  return {
    body: requestBody(c),
    ...(length !== undefined && { length }),
    ...(parsed && { range: parsed }),
  };
}

function created(call: Call, name: RepositoryName, digest: Digest): Response {
  return sendNothing(call.c, 201, {
    location: linkTo(call, name, `blobs/${digest}`),
    "docker-content-digest": digest,
  });
}

function headersOf(call: Call, session: UploadSession) {
  const { repository, id } = session;
  return sessionHeaders(linkTo(call, repository, `blobs/uploads/${id}`), session);
}

/** Returns the headers of a session. Its URL never changes, because clients retry with an old
 * URL. */
export function sessionHeaders(location: string, { id, offset }: UploadSession) {
  return {
    location,
    range: formatReceivedRange(offset),
    "docker-upload-uuid": id,
  };
}

function rangeNotSatisfiable(call: Call, { message, session }: OutOfOrder): OciError {
  return new OciError("BLOB_UPLOAD_INVALID", {
    status: 416,
    message,
    headers: headersOf(call, session),
  });
}
