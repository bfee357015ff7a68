import type { Answer, CallOptions } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "../digest.ts";
import { algorithmOf, digestOf, isDigest } from "../digest.ts";
import { MAX_MANIFEST_BYTES } from "../manifest/manifest.ts";
import { manifestKindOf } from "../manifest/media-type.ts";
import type { BlobDownload, BlobOptions, FetchedManifest, FoundManifest } from "./client.ts";
import { OciClientError } from "./client-error.ts";
import type { RemoteRepository } from "./remote-repository.ts";
import { pathOf, pullScope } from "./remote-repository.ts";
import { objectIn, readBounded, refusalOf } from "./read-answer.ts";
import { resumed, verified } from "./transfer.ts";

/** Each type we can read, and everything else, for registries that would sooner refuse. */
const ACCEPT = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  "*/*;q=0.5",
].join(", ");

function readOf(
  place: RemoteRepository,
  method: "GET" | "HEAD",
  rest: string,
  { signal }: CallOptions,
) {
  const scopes = [pullScope(place.name)];
  return { method, target: pathOf(place, rest), scopes, signal } as const;
}

const ABSENT: ReadonlySet<number> = new Set([404, 410]);
/** Some registries answer `HEAD` with these, and `GET` with the content. */
const HEADLESS: ReadonlySet<number> = new Set([401, 403, 405]);

/** Undefined for 404 and 410. */
async function findAnswer(pendingAnswer: Promise<Answer>): Promise<Answer | undefined> {
  const answer = await pendingAnswer;
  if (answer.status === 200) return answer;
  if (!ABSENT.has(answer.status)) throw await refusalOf(answer);
  await answer.cancel();
  return undefined;
}

export async function headManifest(
  place: RemoteRepository,
  reference: string,
  options: CallOptions,
): Promise<FoundManifest | undefined> {
  const request = readOf(place, "HEAD", `manifests/${reference}`, options);
  const answer = await place.caller.call({ ...request, headers: { accept: ACCEPT } });
  await answer.cancel();
  if (ABSENT.has(answer.status)) return undefined;
  if (HEADLESS.has(answer.status)) return wholeManifest(place, reference, options);
  if (answer.status !== 200) throw await refusalOf(answer);
  const digest = answer.headers.get("docker-content-digest") ?? "";
  if (isDigest(digest)) return { digest, size: lengthIn(answer) };
  if (isDigest(reference)) return { digest: reference, size: lengthIn(answer) };
  // Old registries say nothing on HEAD: the bytes say it.
  return wholeManifest(place, reference, options);
}

async function wholeManifest(
  place: RemoteRepository,
  reference: string,
  options: CallOptions,
): Promise<FoundManifest | undefined> {
  const manifest = await fetchManifest(place, reference, options);
  return manifest && { digest: manifest.digest, size: manifest.bytes.length, manifest };
}

export async function fetchManifest(
  place: RemoteRepository,
  reference: string,
  options: CallOptions,
): Promise<FetchedManifest | undefined> {
  const request = readOf(place, "GET", `manifests/${reference}`, options);
  // The body is part of what is tried again: it is small.
  return place.caller.again(
    request.target,
    async () => {
      const answer = await findAnswer(
        place.caller.once({ ...request, headers: { accept: ACCEPT } }),
      );
      if (!answer) return undefined;
      const bytes = await readBounded(answer, MAX_MANIFEST_BYTES);
      const etag = answer.headers.get("etag");
      return {
        digest: checkedDigest(answer, reference, bytes),
        mediaType: typeOf(answer, bytes),
        bytes,
        ...(etag !== null && { etag }),
      };
    },
    options,
  );
}

/** By the digest that was asked for; by tag, the one that the registry tells must be right. */
function checkedDigest({ url, headers }: Answer, reference: string, bytes: Uint8Array): Digest {
  const headerDigest = headers.get("docker-content-digest") ?? "";
  const expectedDigest = isDigest(reference) ? reference : headerDigest;
  if (!isDigest(expectedDigest)) return digestOf(bytes);
  const digest = digestOf(bytes, algorithmOf(expectedDigest));
  if (digest === expectedDigest) return digest;
  throw new OciClientError("mismatch", {
    url,
    reason: `gave ${digest} instead of ${expectedDigest}`,
  });
}

/** Some servers call everything a text, or JSON. */
function typeOf({ headers }: Answer, bytes: Uint8Array): string {
  const [contentType = ""] = (headers.get("content-type") ?? "").split(";");
  const type = contentType.trim().toLowerCase();
  if (manifestKindOf(type)) return type;
  const { mediaType } = objectIn(bytes) ?? {};
  return typeof mediaType === "string" ? mediaType : type;
}

export async function headBlob(
  place: RemoteRepository,
  digest: Digest,
  options: CallOptions,
): Promise<number | undefined> {
  const request = readOf(place, "HEAD", `blobs/${digest}`, options);
  const head = await place.caller.call(request);
  await head.cancel();
  if (head.status === 200) return lengthIn(head);
  if (ABSENT.has(head.status)) return undefined;
  if (!HEADLESS.has(head.status)) throw await refusalOf(head);
  const body = place.caller.call({ ...request, method: "GET", isTransfer: true });
  const answer = await findAnswer(body);
  await answer?.cancel();
  return answer && lengthIn(answer);
}

export async function fetchBlob(
  place: RemoteRepository,
  digest: Digest,
  options: BlobOptions,
): Promise<BlobDownload | undefined> {
  const request = {
    ...readOf(place, "GET", `blobs/${digest}`, options),
    isTransfer: true,
  };
  const first = await findAnswer(place.caller.call(request));
  if (!first) return undefined;
  const statedSize = lengthIn(first);
  const { size = statedSize } = options;
  const { url } = first;
  if (statedSize !== undefined && statedSize !== size) {
    await first.cancel();
    const reason = `has ${statedSize} bytes where its descriptor says ${size}`;
    throw new OciClientError("mismatch", { url, reason });
  }
  const { retry } = place.caller;
  const from = (offset: number) =>
    place.caller.call({ ...request, headers: { range: `bytes=${offset}-` } });
  const whole = resumed(first, { size, from, retry, signal: options.signal });
  return {
    size,
    body: options.isVerifiedLater ? whole : verified(whole, { digest, size, url }),
    [Symbol.asyncDispose]: () => first.cancel(),
  };
}

function lengthIn({ headers }: Answer): number | undefined {
  const lengthHeader = headers.get("content-length") ?? "";
  const isPlain = (headers.get("content-encoding") ?? "identity") === "identity";
  return isPlain && /^\d{1,15}$/.test(lengthHeader) ? Number(lengthHeader) : undefined;
}
