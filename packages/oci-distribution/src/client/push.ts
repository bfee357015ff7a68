import { errorCodeOf } from "@sealhouse/http-responses";
import type { Answer, CallOptions } from "@sealhouse/http-responses/outgoing";
import { CallError } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "../digest.ts";
import { isDigest } from "../digest.ts";
import { MAX_MANIFEST_BYTES } from "../manifest/manifest.ts";
import type { BlobUpload, ManifestPutOutcome } from "./client.ts";
import { OciClientError } from "./client-error.ts";
import type { RemoteRepository } from "./remote-repository.ts";
import { deleteScope, pathOf, pullScope, pushScope } from "./remote-repository.ts";
import { refusalOf } from "./read-answer.ts";

const NOTHING = { "content-length": "0" } as const;

/** Asks for the blob of another repository of the same registry. Registries refuse in many ways,
 * and all of them mean that it must be uploaded. */
export async function mountBlob(
  place: RemoteRepository,
  { digest, from }: { readonly digest: Digest; readonly from: string },
  { signal }: CallOptions,
): Promise<boolean> {
  const query = new URLSearchParams({ mount: digest, from }).toString();
  const target = `${pathOf(place, "blobs/uploads/")}?${query}`;
  const scopes = [pushScope(place.name), pullScope(from)];
  const answer = await place.caller.call({
    method: "POST",
    target,
    scopes,
    headers: NOTHING,
    signal,
  });
  await answer.cancel();
  if (answer.status !== 202) return answer.status === 201;
  await abandon(place, locationOf(answer), signal);
  return false;
}

/**
 * Begins an upload and abandons it, which proves the right to push and publishes nothing.
 * @throws {OciClientError} when the registry refuses
 */
export async function tryUpload(place: RemoteRepository, { signal }: CallOptions): Promise<void> {
  const target = pathOf(place, "blobs/uploads/");
  const scopes = [pushScope(place.name)];
  const answer = await place.caller.call({
    method: "POST",
    target,
    scopes,
    headers: NOTHING,
    signal,
  });
  if (answer.status !== 202) throw await refusalOf(answer);
  await answer.cancel();
  await abandon(place, locationOf(answer), signal);
}

/** Ends an upload session. What fails to end expires at the registry. */
async function abandon(
  { caller, name }: RemoteRepository,
  session: URL,
  signal: AbortSignal | undefined,
): Promise<void> {
  const gone = await caller
    .once({ method: "DELETE", target: session, scopes: [pushScope(name)], signal })
    .catch(() => undefined);
  await gone?.cancel();
}

/**
 * POST and one PUT; a failed one starts again, because registries differ in the offsets that they
 * accept.
 */
export async function uploadBlob(
  place: RemoteRepository,
  blob: BlobUpload,
  { signal }: CallOptions,
): Promise<void> {
  const target = pathOf(place, "blobs/uploads/");
  const scopes = [pushScope(place.name)];
  await place.caller.again(
    target,
    async () => {
      const started = await place.caller.once({
        method: "POST",
        target,
        scopes,
        headers: NOTHING,
        signal,
      });
      if (started.status !== 202) throw await refusalOf(started);
      await started.cancel();
      const session = locationOf(started);
      session.searchParams.set("digest", blob.digest);
      const closed = await sendBlob(place, session, blob, { signal });
      if (closed.status !== 201) throw await refusalOf(closed);
      await closed.cancel();
    },
    { signal },
  );
}

async function sendBlob(
  { caller, name }: RemoteRepository,
  target: URL,
  blob: BlobUpload,
  { signal }: CallOptions,
): Promise<Answer> {
  let unread: OciClientError | CallError | undefined;
  async function* body() {
    try {
      yield* blob.read();
    } catch (error) {
      unread = unreadable(target, error);
      throw error;
    }
  }
  try {
    return await caller.once({
      method: "PUT",
      target,
      scopes: [pushScope(name)],
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(blob.size),
      },
      body,
      isTransfer: true,
      signal,
    });
  } catch (error) {
    // `fetch` tells only that it failed.
    throw unread ?? ofSession(target, error, caller.registry);
  }
}

/**
 * The error with the address of the session, when the registry named another server that must not
 * be called: callers know only the address of the registry.
 */
function ofSession(session: URL, error: unknown, registry: URL): unknown {
  const isForeign = session.origin !== registry.origin;
  if (!isForeign || errorCodeOf(error) !== "private-address") return error;
  const words = error instanceof Error ? error.message : "";
  const reason = `the registry at ${registry.origin} named this address for the upload. ${words}`;
  return new OciClientError("refused-address", { url: session, reason, cause: error });
}

function unreadable(url: URL, error: unknown): CallError {
  if (error instanceof CallError) return error;
  const words = error instanceof Error ? error.message : String(error);
  const reason = `cannot read the data to send: ${words}`;
  return new OciClientError("source", { url, reason, cause: error });
}

function locationOf({ headers, url }: Answer): URL {
  const location = headers.get("location");
  const session = location === null ? null : URL.parse(location, url.href);
  if (session) return session;
  throw new OciClientError("malformed", { url, reason: "the answer has no Location" });
}

type ManifestPut = {
  readonly reference: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
};

export async function putManifest(
  place: RemoteRepository,
  { reference, bytes, mediaType }: ManifestPut,
  { signal, ifMatch }: CallOptions & { readonly ifMatch?: string },
): Promise<ManifestPutOutcome> {
  const target = pathOf(place, `manifests/${reference}`);
  const url = new URL(target, place.caller.registry);
  if (bytes.length > MAX_MANIFEST_BYTES) {
    const reason = `a manifest has ${MAX_MANIFEST_BYTES} bytes at most, this one ${bytes.length}`;
    throw new OciClientError("too-large", { url, reason });
  }
  const answer = await place.caller.call({
    method: "PUT",
    target,
    scopes: [pushScope(place.name)],
    headers: {
      "content-type": mediaType,
      "content-length": String(bytes.length),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    },
    body: () => once(bytes),
    signal,
  });
  if (answer.status === 412 && ifMatch !== undefined) {
    await answer.cancel();
    return { status: "changed" };
  }
  if (answer.status !== 201) throw await refusalOf(answer);
  await answer.cancel();
  const headerDigest = answer.headers.get("docker-content-digest") ?? "";
  if (isDigest(reference) && isDigest(headerDigest) && headerDigest !== reference) {
    const reason = `stored ${headerDigest} where ${reference} was sent`;
    throw new OciClientError("mismatch", { url, reason });
  }
  return { status: "stored", subject: answer.headers.has("oci-subject") };
}

/** False when it was not there. */
export async function remove(
  place: RemoteRepository,
  rest: string,
  { signal }: CallOptions,
): Promise<boolean> {
  const target = pathOf(place, rest);
  const scopes = [deleteScope(place.name)];
  const answer = await place.caller.call({ method: "DELETE", target, scopes, signal });
  if (answer.status !== 404 && (answer.status < 200 || answer.status > 299)) {
    throw await refusalOf(answer);
  }
  await answer.cancel();
  return answer.status !== 404;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
