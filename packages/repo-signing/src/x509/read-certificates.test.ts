import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCertificateFile, readCertificates } from "./read-certificates.ts";
import { createTestSigner, pemOf, testRootCertificate } from "../testing/index.ts";

const [leaf = new Uint8Array()] = (await createTestSigner()).chain;
const root = await testRootCertificate();
const hex = (ders: readonly Uint8Array[]) => ders.map((der) => Buffer.from(der).toString("hex"));

test("PEM text comes in any order with anything around it", () => {
  const text = `Bag Attributes\n${pemOf(root)}\nsubject=…\n${pemOf(leaf)}\n`;
  expect(hex(readCertificates(text))).toEqual(hex([leaf, root]));
  expect(hex(readCertificates(Buffer.from(text)))).toEqual(hex([leaf, root]));
});

test("one certificate may be DER", () => {
  expect(hex(readCertificates(leaf))).toEqual(hex([leaf]));
});

test.each([
  ["", /holds no certificate/],
  ["-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", /holds no certificate/],
  ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", /cannot be read/],
  [pemOf(leaf).repeat(21), /more than 20/],
])("%# is refused", (text, message) => {
  expect(() => readCertificates(text)).toThrow(message);
});

test("a missing file is called so, with its place", async () => {
  const folder = await mkdtemp(join(tmpdir(), "certificates-"));
  const path = join(folder, "feed.pem");
  await expect(readCertificateFile(path)).rejects.toThrow(
    `Certificate not found: ${path} cannot be read (ENOENT).`,
  );
  await writeFile(path, pemOf(leaf));
  expect(hex(await readCertificateFile(path))).toEqual(hex([leaf]));
  await rm(folder, { recursive: true });
});
