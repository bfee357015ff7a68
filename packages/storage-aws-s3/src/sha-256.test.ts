import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { Sha256 } from "./sha-256.ts";

const LARGE = Buffer.alloc(300_000, "large");

test.each([
  ["no data", []],
  ["a text", ["text"]],
  ["several parts", ["text", Buffer.from("more"), new Uint8Array(3).buffer]],
  ["large data", [LARGE]],
  ["large data between others", ["text", LARGE, "more"]],
  ["large data before others", [LARGE, "more", LARGE]],
])("the digest of %s is SHA-256", async (_case, parts) => {
  const whole = Buffer.concat(
    parts.map((part) => (part instanceof ArrayBuffer ? Buffer.from(part) : Buffer.from(part))),
  );
  const hash = new Sha256();
  for (const part of parts) hash.update(part);
  expect(hexOf(await hash.digest())).toBe(createHash("sha256").update(whole).digest("hex"));
  hash.reset();
  hash.update("again");
  expect(hexOf(await hash.digest())).toBe(createHash("sha256").update("again").digest("hex"));
});

test("a secret makes it an HMAC, for large data too", async () => {
  const hash = new Sha256("secret");
  hash.update(LARGE);
  const expected = createHmac("sha256", "secret").update(LARGE).digest("hex");
  expect(hexOf(await hash.digest())).toBe(expected);
});

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
