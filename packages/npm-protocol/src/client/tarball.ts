import { createHash } from "node:crypto";
import type { Answer } from "@sealhouse/http-responses/outgoing";
import { malformed, NpmClientError } from "./client-error.ts";
import type { RemoteDist } from "./packument-document.ts";

/** A tarball on its way. Read `body` to its end, leave its loop, or dispose. */
export type TarballDownload = AsyncDisposable & {
  /** Bytes, where the server tells. */
  readonly size: number | undefined;
  /** Throws `integrity` behind the last chunk of what is not the tarball it should be: nothing of
   * it counts before the end. */
  readonly body: AsyncIterable<Uint8Array>;
};

export type Expected = Pick<RemoteDist, "integrity" | "shasum">;

/** @throws {NpmClientError} `integrity` when there is nothing to check it with, `too-large` */
export async function openTarball(
  answer: Answer,
  expected: Expected,
  maxBytes: number,
): Promise<TarballDownload> {
  const hashes = expectedHashes(expected);
  const size = declaredSize(answer.headers);
  if (hashes.length === 0 || (size ?? 0) > maxBytes) {
    await answer.cancel();
    if (hashes.length > 0) throw tooLarge(answer.url, maxBytes);
    throw broken(answer.url, "its packument names no hash of it that is known here");
  }
  return {
    size,
    body: checked(answer, { size, maxBytes, hashes }),
    [Symbol.asyncDispose]: () => answer.cancel(),
  };
}

type ExpectedHash = { readonly algorithm: string; readonly digest: string };

const STRENGTH = ["sha512", "sha384", "sha256", "sha1"] as const;

/**
 * The values of the strongest given hash, any of which may match, as the standard says; and the
 * shasum. Digests are hex.
 */
function expectedHashes({ integrity = "", shasum }: Expected): readonly ExpectedHash[][] {
  const hashes = integrity.split(/\s+/).flatMap((entry) => {
    const match = /^(sha(?:1|256|384|512))-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(entry);
    const [, algorithm = "", base64 = ""] = match ?? [];
    return match ? [{ algorithm, digest: Buffer.from(base64, "base64").toString("hex") }] : [];
  });
  const strongest = STRENGTH.find((name) => hashes.some(({ algorithm }) => algorithm === name));
  const first = hashes.filter(({ algorithm }) => algorithm === strongest);
  const second = shasum === undefined ? [] : [{ algorithm: "sha1", digest: shasum.toLowerCase() }];
  return [first, second].filter((group) => group.length > 0);
}

async function* checked(
  { body, url }: Answer,
  requirements: {
    readonly size: number | undefined;
    readonly maxBytes: number;
    readonly hashes: readonly ExpectedHash[][];
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { size, maxBytes, hashes } = requirements;
  const running = hashes.map(([expectedHash]) => createHash(expectedHash?.algorithm ?? "sha512"));
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > maxBytes) throw tooLarge(url, maxBytes);
    for (const hash of running) hash.update(chunk);
    yield chunk;
  }
  if (size !== undefined && received !== size) {
    throw malformed(url, `gave ${received} bytes where it promised ${size}`);
  }
  for (const [index, group] of hashes.entries()) {
    const actualDigest = running[index]?.digest("hex");
    if (group.some(({ digest }) => digest === actualDigest)) continue;
    throw broken(url, `does not match the integrity in its packument (${group[0]?.algorithm})`);
  }
}

/** A compressed answer has another size than its header says. */
function declaredSize(headers: Headers): number | undefined {
  const encoding = headers.get("content-encoding") ?? "identity";
  const lengthHeader = headers.get("content-length") ?? "";
  return encoding === "identity" && /^\d{1,15}$/.test(lengthHeader)
    ? Number(lengthHeader)
    : undefined;
}

function broken(url: URL, reason: string): NpmClientError {
  return new NpmClientError("integrity", { url, reason });
}

function tooLarge(url: URL, maxBytes: number): NpmClientError {
  return new NpmClientError("too-large", { url, reason: `has more than ${maxBytes} bytes` });
}
