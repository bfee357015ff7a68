import { createHash } from "node:crypto";
import { openDownload } from "@sealhouse/http-responses/outgoing";
import type { Answer, Download } from "@sealhouse/http-responses/outgoing";
import { failure, NpmClientError } from "./client-error.ts";
import type { RemoteDist } from "./packument-document.ts";

export type Expected = Pick<RemoteDist, "integrity" | "shasum">;

/**
 * Opens a tarball. Its body throws `integrity` behind the last chunk when it is another one.
 * Nothing of it counts before the end.
 * @throws {NpmClientError} `integrity` when there is nothing to check it with, `too-large`
 */
export async function openTarball(
  answer: Answer,
  expected: Expected,
  maxBytes: number,
): Promise<Download> {
  const hashes = expectedHashes(expected);
  if (hashes.length === 0) {
    await answer.cancel();
    throw broken(answer.url, "its packument names no hash of it that is known here");
  }
  const running = hashes.map(([expectedHash]) => createHash(expectedHash?.algorithm ?? "sha512"));
  return openDownload(answer, {
    maxBytes,
    failure,
    onChunk(chunk) {
      for (const hash of running) hash.update(chunk);
    },
    onEnd() {
      for (const [index, group] of hashes.entries()) {
        const actualDigest = running[index]?.digest("hex");
        if (group.some(({ digest }) => digest === actualDigest)) continue;
        const [first] = group;
        const reason = `does not match the integrity in its packument (${first?.algorithm})`;
        throw broken(answer.url, reason);
      }
    },
  });
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

function broken(url: URL, reason: string): NpmClientError {
  return new NpmClientError("integrity", { url, reason });
}
