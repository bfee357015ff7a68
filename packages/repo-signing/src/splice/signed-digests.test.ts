import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { readArchive } from "../archive/archive.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { bytesOf } from "../testing/sign-as-author.ts";
import { buildTestPackage } from "../testing/test-package.ts";
import { planInsert } from "./edit-signature.ts";
import { signedDigests } from "./signed-digests.ts";
import type { HashedBytes } from "./signed-digests.ts";
import { spliced } from "./splice-plan.ts";

const FILES = [{ name: "a.bin", data: randomBytes(100_000).toString("latin1") }];
const BYTES = buildTestPackage("A", "1.0.0", { files: FILES });
const RECEIVED = packageBytesOf(BYTES);
const SIGNATURE = Buffer.alloc(3000, 0x5a);

async function signed() {
  const plan = planInsert(await readArchive(RECEIVED), SIGNATURE, new Date("2026-11-21"));
  const whole = await bytesOf(spliced(RECEIVED, plan));
  const digests = {
    sha256: createHash("sha256").update(whole).digest("hex"),
    sha512: createHash("sha512").update(whole).digest("base64"),
  };
  return { plan, digests };
}

/** The received file, which knows its hashes at one place, and how many bytes were read. */
function hashedAt(at: number, hasSha512 = true) {
  const read = { bytes: 0 };
  const file: HashedBytes = {
    size: RECEIVED.size,
    async *read(range) {
      for await (const chunk of RECEIVED.read(range)) {
        read.bytes += chunk.length;
        yield chunk;
      }
    },
    hashedUntil(end) {
      if (at > end) return undefined;
      const sha256 = createHash("sha256").update(BYTES.subarray(0, at));
      const sha512 = createHash("sha512").update(BYTES.subarray(0, at));
      const update = (chunk: Uint8Array) => {
        sha256.update(chunk);
        sha512.update(chunk);
      };
      const digests = () => ({
        sha256: sha256.digest("hex"),
        ...(hasSha512 && { sha512: sha512.digest("hex") }),
      });
      return { at, hashing: { update, digests } };
    },
  };
  return { file, read };
}

test("the known beginning of a received file is not read again", async () => {
  const { plan, digests } = await signed();
  const { file, read } = hashedAt(90_000);
  expect(await signedDigests(file, plan)).toEqual(digests);
  expect(read.bytes).toBeLessThan(BYTES.length - 90_000);
});

test.each([
  ["without known hashes", RECEIVED],
  ["with hashes past the signature", hashedAt(BYTES.length).file],
  ["with SHA-256 alone", hashedAt(90_000, false).file],
])("a file %s is read whole", async (_what, file) => {
  const { plan, digests } = await signed();
  expect(await signedDigests(file, plan)).toEqual(digests);
});
