import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { StoredVerification, StoredVersion } from "./stored-ports.ts";
import { trustForStored } from "../verify/trust-options.ts";
import { storedVersionNames, verifyStoredVersion } from "./verify-stored.ts";

const vectors = new URL("../../../../vectors/nuget-signatures/packages/", import.meta.url);
const file = readFileSync(new URL("repo.nupkg", vectors));
const sha256 = createHash("sha256").update(file).digest("hex");
const stored = { id: "Acme", version: "1.0.0", blob: { key: "a", size: file.length, sha256 } };
const name = { id: "acme", version: "1.0.0" };

/** A feed with one version; the first answer of `answers` is for the first lookup, and so on. */
function feed(
  answers: readonly (StoredVersion | undefined)[],
  read: StoredVerification["blobs"]["read"] = async function* (_key, range) {
    yield file.subarray(range?.start ?? 0, (range?.end ?? file.length - 1) + 1);
  },
) {
  const lookups: string[] = [];
  const parts: StoredVerification = {
    versions: {
      ids: { page: async (after) => (after === "" ? ["acme", "widgets"] : []) },
      lookup: {
        summaries: async (id) => (id === "acme" ? [{ version: "1.0.0-Beta" }] : []),
        async find(id, version) {
          lookups.push(`${id} ${version}`);
          return answers[Math.min(lookups.length, answers.length) - 1];
        },
      },
      provenance: { find: async () => undefined },
    },
    blobs: { read },
    options: trustForStored({ roots: undefined, timestampRoots: undefined }, [], new Date()),
    warnsOfUnsigned: true,
  };
  return { parts, lookups };
}

function failing(error: Error): StoredVerification["blobs"]["read"] {
  return () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) });
}

test("a version with its recorded digest and a good signature is valid", async () => {
  const { parts, lookups } = feed([stored]);
  expect(await verifyStoredVersion(name, parts)).toMatchObject({
    file: "acme.1.0.0.nupkg",
    valid: true,
    signatureType: "Repository",
  });
  expect(lookups).toEqual(["acme 1.0.0"]);
});

test("a version that is deleted while its bytes are read has no report", async () => {
  const wrong = { ...stored, blob: { ...stored.blob, sha256: "0".repeat(64) } };
  const { parts, lookups } = feed([wrong, undefined]);
  expect(await verifyStoredVersion(name, parts)).toBeUndefined();
  expect(lookups).toHaveLength(2);
});

test.each([
  ["storage-not-found", "BYTES_MISSING"],
  ["storage-io", "UNREADABLE"],
])("a storage error with the code %s is reported as %s", async (storageCode, code) => {
  const { parts } = feed(
    [stored],
    failing(Object.assign(new Error("no bytes"), { code: storageCode })),
  );
  expect(await verifyStoredVersion(name, parts)).toMatchObject({
    valid: false,
    signatureType: null,
    errors: [{ code, message: "no bytes" }],
  });
});

test("other bytes than recorded and a plan that cannot be read are errors", async () => {
  const wrong = { ...stored, blob: { ...stored.blob, sha256: "0".repeat(64) } };
  expect(await verifyStoredVersion(name, feed([wrong]).parts)).toMatchObject({
    errors: [{ code: "DIGEST_MISMATCH" }],
  });
  const seal = { plan: new Uint8Array([1, 2, 3]), size: file.length };
  expect(await verifyStoredVersion(name, feed([{ ...stored, seal }]).parts)).toMatchObject({
    errors: [{ code: "SEAL_BROKEN" }],
  });
});

test("an error that is not of the storage ends the verification", async () => {
  const { parts } = feed([stored], failing(new TypeError("a fault")));
  await expect(verifyStoredVersion(name, parts)).rejects.toThrow("a fault");
});

test("names all versions in lower case, page by page", async () => {
  const names = await Array.fromAsync(storedVersionNames(feed([]).parts.versions));
  expect(names).toEqual([{ id: "acme", version: "1.0.0-beta" }]);
});
