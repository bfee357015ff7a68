import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { TestBlob, TestManifest } from "../build-image.ts";
import { DOCKER_LIST, DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST } from "../build-image.ts";

/** Like `fetch`, with a path of the registry instead of a URL. Must not follow redirects of 401. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** A registry to be examined, and who comes to examine it. */
export type ConformanceTarget = {
  /** Sends as a user who may pull, push and delete everywhere below `namespace`. */
  readonly fetch: Send;
  /** Repositories are called `<namespace>/<something new>`. */
  readonly namespace: string;
  /** Sends without credentials. Absent when the registry requires none. */
  readonly anonymous?: Send;
  /** Credentials of the user of `fetch`, for the token endpoint. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Everyone may pull below this namespace, and `fetch` may push there. */
  readonly publicNamespace?: string;
  /** A user who may push below another namespace, and may not read `namespace`. */
  readonly stranger?: { readonly fetch: Send; readonly namespace: string };
  /** Credentials that are revoked. */
  readonly revoked?: { readonly username: string; readonly password: string };
  /** A user who may pull and push below `namespace`, and may not delete. */
  readonly pusher?: Send;
  /** A tag that may not move, once it is pushed to a repository below this namespace. */
  readonly fixedTag?: { readonly namespace: string; readonly tag: string };
  /** Milliseconds after which idle uploads expire. */
  readonly uploadExpirySeconds?: number;
};

export type Need =
  | "anonymous"
  | "credentials"
  | "publicNamespace"
  | "stranger"
  | "revoked"
  | "pusher"
  | "fixedTag"
  | "uploadExpirySeconds";

export type ConformanceCase = {
  readonly name: string;
  /** Its numbers in docs/oci-conformance.md, separated by commas: `H12, 1.2/4`. */
  readonly covers: string;
  /** Parts of the target without which the case cannot be run. */
  readonly needs?: readonly Need[];
  /** Rejects with an `AssertionError` that states the fault. */
  readonly run: (registry: Conversation) => Promise<void>;
};

/** Ends a case that does not apply, because the specification leaves the registry the choice. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
  readonly code = "not-applicable";
}

/** Answers of registries that have no catalog, which the specification does not define. */
const NO_CATALOG: ReadonlySet<number> = new Set([401, 403, 404, 405, 501]);

/** @throws {NotApplicable} without a catalog */
export function requireCatalog({ status }: Response): void {
  if (NO_CATALOG.has(status)) throw new NotApplicable(`no catalog: it was answered ${status}`);
}

/** A registry may always begin an upload instead of a mount.
 * @throws {NotApplicable} for such an answer */
export function requireMount({ status }: Response): void {
  if (status === 202) throw new NotApplicable("the registry mounts no blobs: it was answered 202");
}

export type Conversation = {
  readonly target: ConformanceTarget;
  readonly send: Send;
  /** A repository of this case alone; `repository("a")` is the same every time it is asked. */
  readonly repository: (name?: string) => string;
};

/** Every answer on the way is checked for what no answer may have. */
export function converse(target: ConformanceTarget): Conversation {
  const run = randomBytes(6).toString("hex");
  return {
    target,
    repository: (name = "app") => `${target.namespace}/${run}/${name}`,
    async send(path, init) {
      const response = await target.fetch(path, withAccept(path, init));
      assert.equal(response.headers.get("content-encoding"), null, `${path} must not be encoded`);
      assert.ok(response.status < 500, `${init?.method ?? "GET"} ${path}: ${response.status}`);
      return response;
    },
  };
}

const MANIFEST_TYPES = [OCI_INDEX, OCI_MANIFEST, DOCKER_LIST, DOCKER_MANIFEST].join(", ");

/** Sends the usual `Accept` of clients for manifests, unless a case sets its own. */
function withAccept(path: string, init: RequestInit = {}): RequestInit {
  const { method = "GET" } = init;
  const headers = new Headers(init.headers);
  const isRead = method === "GET" || method === "HEAD";
  if (!isRead || !path.includes("/manifests/") || headers.has("accept")) return init;
  headers.set("accept", MANIFEST_TYPES);
  return { ...init, headers };
}

/** Asserts the status and, for errors, the code; resolves to the answer's headers. */
export async function expectAnswer(
  response: Response,
  status: number | readonly number[],
  code?: string | readonly string[],
): Promise<Headers> {
  const text = await response.text();
  const statuses = [status].flat();
  const message = `expected ${statuses.join(" or ")}, got ${response.status}: ${text}`;
  assert.ok(statuses.includes(response.status), message);
  if (code !== undefined) {
    const type = response.headers.get("content-type") ?? "";
    assert.match(type, /^application\/json/, "errors are JSON");
    const codes = codesIn(text);
    const allowed = typeof code === "string" ? [code] : code;
    assert.ok(codes.length > 0, "an error names its codes");
    for (const errorCode of codes)
      assert.ok(allowed.includes(errorCode), `${errorCode} is not ${allowed.join()}`);
  }
  return response.headers;
}

export function codesIn(text: string): readonly string[] {
  return errorsIn(text).map(({ code }) => code);
}

export function errorsIn(text: string): readonly { code: string; detail?: unknown }[] {
  const { errors } = JSON.parse(text) as { errors: { code: string; detail?: unknown }[] };
  return errors;
}

/** Where an answer points, as a path. */
export function locationOf(headers: Headers): string {
  const location = headers.get("location");
  assert.ok(location, "the answer has a Location");
  const { pathname, search } = new URL(location, "http://registry.invalid");
  return pathname + search;
}

export function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

/** Begins an upload; resolves to the path of its session. */
export async function startUpload(
  registry: Conversation,
  repository: string,
  query = "",
): Promise<string> {
  const response = await registry.send(`/v2/${repository}/blobs/uploads/${query}`, {
    method: "POST",
  });
  return locationOf(await expectAnswer(response, 202));
}

/** POST, then PUT with all bytes. */
export async function pushBlob(
  registry: Conversation,
  repository: string,
  { digest, bytes }: TestBlob,
): Promise<void> {
  const session = await startUpload(registry, repository);
  const put = { method: "PUT", body: bodyOf(bytes), headers: octets };
  await expectAnswer(await registry.send(withQuery(session, `digest=${digest}`), put), 201);
}

export async function putManifest(
  registry: Conversation,
  repository: string,
  manifest: Pick<TestManifest, "bytes" | "mediaType">,
  reference: string,
): Promise<Response> {
  return registry.send(`/v2/${repository}/manifests/${reference}`, {
    method: "PUT",
    body: bodyOf(manifest.bytes),
    headers: { "content-type": manifest.mediaType },
  });
}

/** Blobs first, then the manifest, which must be taken. */
export async function pushImage(
  registry: Conversation,
  repository: string,
  image: TestManifest,
  reference: string = image.digest,
): Promise<Headers> {
  for (const blob of image.blobs) await pushBlob(registry, repository, blob);
  return expectAnswer(await putManifest(registry, repository, image, reference), 201);
}

export const octets = { "content-type": "application/octet-stream" } as const;

/** A body that fetch sends with its length. */
export function bodyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

/** A body that fetch sends chunked, without a length. */
export function streamOf(...chunks: readonly Uint8Array[]): RequestInit {
  const body = ReadableStream.from(chunks.map((chunk) => new Uint8Array(chunk)));
  return { body, duplex: "half" };
}

export async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

export function unknownDigest(): `sha256:${string}` {
  return `sha256:${randomBytes(32).toString("hex")}`;
}
