import { generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { expect, test, vi } from "vitest";
import { selfIssueP256 } from "../certificates/self-issue-p256.ts";
import { openSelfSigned } from "../certificates/self-signed.ts";
import { createMemoryCertificateFile, createMemoryLedger } from "../testing/memory-ports.ts";
import { readPfx, writePfx } from "./pfx.ts";

// The libraries hold up a thread for tenths of a second, and must not hold up this one.
const LOADED = "loaded in the wrong thread";
vi.mock("@peculiar/x509", () => ({ default: LOADED }));
vi.mock("@peculiar/webcrypto", () => ({ default: LOADED }));
vi.mock("pkijs", () => ({ default: LOADED }));
vi.mock("asn1js", () => ({ default: LOADED }));

const now = new Date("2026-11-25T12:00:00Z");

function optionsWith(changes: { readonly validityInDays?: number } = {}) {
  return {
    file: createMemoryCertificateFile(),
    next: createMemoryCertificateFile(),
    ledger: createMemoryLedger(),
    password: "secret",
    subject: { serverName: "Feed" },
    keySize: 2048,
    validityInDays: 30,
    hash: "SHA256",
    now: () => now,
    randomBytes,
    ...changes,
  } as const;
}

test("a certificate is made and read without loading a library in this thread", async () => {
  const options = optionsWith();
  const { chain } = await openSelfSigned(options);
  const pfx = (await options.file.read()) ?? new Uint8Array();
  const content = await readPfx(pfx, "secret");
  expect(content.chain).toEqual(chain);
  const again = await readPfx(await writePfx(content, "other"), "other");
  expect(again.key.equals(content.key)).toBe(true);
  expect(again.chain).toEqual(content.chain);
});

test("an ECDSA certificate is made without loading a library in this thread", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = await selfIssueP256(privateKey, { subject: "CN=Feed", now, randomBytes });
  expect(new X509Certificate(der).verify(publicKey)).toBe(true);
});

test("concurrent tasks each get their own result, and a refusal its code", async () => {
  const options = optionsWith();
  await openSelfSigned(options);
  const pfx = (await options.file.read()) ?? new Uint8Array();
  const [right, wrong, text] = await Promise.allSettled([
    readPfx(pfx, "secret"),
    readPfx(pfx, "guess"),
    readPfx(Buffer.from("text"), "secret"),
  ]);
  expect(right.status).toBe("fulfilled");
  expect(wrong).toMatchObject({
    reason: {
      name: "SigningError",
      problem: "certificate-password",
      message: "The certificate file cannot be read: the password does not open it.",
    },
  });
  expect(text).toMatchObject({ reason: { problem: "certificate-file" } });
});

test("a validity that is not possible is refused with a RangeError", async () => {
  await expect(openSelfSigned(optionsWith({ validityInDays: 0 }))).rejects.toThrow(RangeError);
});
