import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { fitsIntegrity, integrityOf } from "./integrity.ts";

const digests = { sha1: hash("sha1", "hex"), sha512: hash("sha512", "hex") };
const sha512 = `sha512-${hash("sha512", "base64")}`;
const sha1 = `sha1-${hash("sha1", "base64")}`;
const wrong = `sha512-${createHash("sha512").update("other").digest("base64")}`;

test("writes integrity as packuments carry it", () => {
  expect(integrityOf(digests)).toBe(sha512);
});

test.each([
  [sha512, true],
  [`${sha512} ${sha1}`, true],
  [sha1, true],
  [`${sha512}?size=4`, true],
  [`sha384-AAAA ${sha512}`, true],
  [wrong, false],
  [`${sha512} ${wrong}`, false],
  ["sha384-AAAA", false],
  ["", false],
  ["sha512-", false],
  ["sha512-====", false],
])("%s fits: %s", (claimed, fits) => {
  expect(fitsIntegrity(claimed, digests)).toBe(fits);
});

function hash(algorithm: string, encoding: "hex" | "base64"): string {
  return createHash(algorithm).update("demo").digest(encoding);
}
