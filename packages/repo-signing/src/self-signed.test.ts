import { execFileSync } from "node:child_process";
import { randomBytes, X509Certificate } from "node:crypto";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SigningError } from "./errors.ts";
import { readPfx, writePfx } from "./pfx.ts";
import type { CertificateFile, Signer } from "./ports.ts";
import type { SelfSignedOptions } from "./self-signed.ts";
import { createSelfSigned, openSelfSigned } from "./self-signed.ts";
import { createMemoryCertificateFile } from "./testing/memory-ports.ts";
import { certificateProblems } from "./x509/certificate-rules.ts";
import { certificateRecordOf } from "./x509/certificate-record.ts";

const start = new Date("2026-11-21T12:00:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;
const daysLater = (days: number) => new Date(start.getTime() + days * DAY_MS);

function optionsFor(file: CertificateFile, changes: Partial<SelfSignedOptions> = {}) {
  return {
    file,
    password: "secret",
    subject: { serverName: "Sealhouse" },
    keySize: 2048,
    validityInDays: 3650,
    hash: "SHA256",
    now: () => start,
    randomBytes,
    ...changes,
  } satisfies SelfSignedOptions;
}

/** One file that all tests of reuse start with: making keys is slow. */
const firstFile = createMemoryCertificateFile();
const first = await openSelfSigned(optionsFor(firstFile));
const madeBefore = await firstFile.read();

const derOf = (signer: Signer) => signer.chain[0] ?? new Uint8Array();
const fingerprint = (signer: Signer) => certificateRecordOf(derOf(signer)).fingerprint;

test("the certificate has the profile that NuGet clients accept", async () => {
  const subject = {
    serverName: "Feed",
    organization: "Acme, Inc.",
    organizationalUnit: "IT",
    country: "de",
  };
  const file = createMemoryCertificateFile();
  const signer = await openSelfSigned(optionsFor(file, { subject }));
  const der = derOf(signer);
  const record = certificateRecordOf(der);
  expect(record).toMatchObject({
    subject: 'CN=Feed, OU=IT, O="Acme, Inc.", C=DE',
    issuer: record.subject,
    notBefore: daysLater(-1),
    notAfter: daysLater(3649),
  });
  const x509 = new X509Certificate(der);
  expect(x509.keyUsage).toEqual(["1.3.6.1.5.5.7.3.3"]);
  expect(x509.ca).toBe(false);
  expect(x509.serialNumber).toHaveLength(40);
  expect(x509.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  expect(x509.verify(x509.publicKey)).toBe(true);
  expect(certificateProblems(der, start)).toEqual([]);
});

test("eight instances that start at once use one certificate", async () => {
  const file = createMemoryCertificateFile();
  const signers = await Promise.all(
    Array.from({ length: 8 }, () => openSelfSigned(optionsFor(file))),
  );
  expect(new Set(signers.map(fingerprint)).size).toBe(1);
  expect(file.writes).toEqual(["keep"]);
}, 60_000);

test("concurrent callers of one instance share one opening", async () => {
  const file = createMemoryCertificateFile();
  let reads = 0;
  const counted = { ...file, read: () => ((reads += 1), file.read()) };
  const open = createSelfSigned(optionsFor(counted));
  const signers = await Promise.all([open(), open(), open(), open()]);
  expect(new Set(signers).size).toBe(1);
  const readsAfterFirst = reads;
  expect(await open()).toBe(signers[0]);
  expect(reads).toBe(readsAfterFirst);
});

test.each<[string, Partial<SelfSignedOptions>, boolean]>([
  ["nothing changes", {}, true],
  ["the certificate has eight days left", { now: () => daysLater(3641) }, true],
  ["the certificate has less than seven days left", { now: () => daysLater(3642.5) }, false],
  ["the certificate has expired", { now: () => daysLater(4000) }, false],
  ["the subject changes", { subject: { subjectName: "CN=Other" } }, false],
  ["the validity changes", { validityInDays: 365 }, false],
  ["the hash changes", { hash: "SHA512" }, false],
  ["the key size changes", { keySize: 3072 }, false],
])("when %s, the certificate in the file is reused: %#", async (_what, changes, isReused) => {
  const file = createMemoryCertificateFile(madeBefore);
  const second = await openSelfSigned(optionsFor(file, changes));
  expect(fingerprint(second) === fingerprint(first)).toBe(isReused);
  expect(file.writes).toEqual(isReused ? [] : ["replace"]);
});

test("a running instance notices a deleted file, renews, and outlives a lost store", async () => {
  const file = createMemoryCertificateFile(madeBefore);
  let at = start;
  let isOut = false;
  const read = () => (isOut ? Promise.reject(new Error("out")) : file.read());
  const open = createSelfSigned(optionsFor({ ...file, read }, { now: () => at }));
  expect(fingerprint(await open())).toBe(fingerprint(first));
  at = daysLater(1);
  isOut = true;
  expect(fingerprint(await open())).toBe(fingerprint(first));
  isOut = false;
  at = daysLater(2);
  expect(fingerprint(await open())).toBe(fingerprint(first));
  file.remove();
  at = daysLater(3);
  const second = fingerprint(await open());
  expect(second).not.toBe(fingerprint(first));
  at = daysLater(3648);
  expect(fingerprint(await open())).not.toBe(second);
});

test("a short validity is usable and does not renew for ever", async () => {
  const file = createMemoryCertificateFile();
  const made = await openSelfSigned(optionsFor(file, { validityInDays: 1 }));
  const opened = await openSelfSigned(optionsFor(file, { validityInDays: 1 }));
  expect(fingerprint(opened)).toBe(fingerprint(made));
});

test("a file that the password does not open is reported and left alone", async () => {
  const file = createMemoryCertificateFile(madeBefore);
  const failure = openSelfSigned(optionsFor(file, { password: "other" }));
  await expect(failure).rejects.toBeInstanceOf(SigningError);
  await expect(failure).rejects.toMatchObject({ problem: "certificate-file", retryable: false });
  expect(file.writes).toEqual([]);
});

test.each<[string, Partial<SelfSignedOptions>]>([
  ["a validity of eleven years", { validityInDays: 4015 }],
  ["no validity", { validityInDays: 0 }],
  ["a country of three letters", { subject: { serverName: "a", country: "DEU" } }],
  ["a subject that is no name", { subject: { subjectName: "just words" } }],
  ["an unknown part of a name", { subject: { subjectName: "CN=a, ZZ=b" } }],
])("%s is refused before anything is made", async (_what, changes) => {
  const file = createMemoryCertificateFile();
  await expect(openSelfSigned(optionsFor(file, changes))).rejects.toThrow(RangeError);
  expect(file.writes).toEqual([]);
});

const isOpenSslThere = hasOpenSsl();
if (!isOpenSslThere) process.stderr.write("\nSKIPPED: openssl is not on the PATH.\n\n");

test.skipIf(!isOpenSslThere).each(["secret", "", "pässwörd €"])(
  "OpenSSL opens the file with the password “%s”",
  async (password) => {
    const folder = mkdtempSync(join(tmpdir(), "sealhouse-pfx-"));
    try {
      const content = await readPfx(madeBefore ?? new Uint8Array(), "secret");
      writeFileSync(join(folder, "a.pfx"), await writePfx(content, password));
      const args = ["pkcs12", "-in", "a.pfx", "-nodes", "-info", "-passin", `pass:${password}`];
      const output = execFileSync("openssl", args, { cwd: folder, stdio: "pipe" }).toString();
      expect(output).toContain("BEGIN PRIVATE KEY");
      expect(output).toContain("BEGIN CERTIFICATE");
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

function hasOpenSsl(): boolean {
  try {
    execFileSync("openssl", ["version"]);
    return true;
  } catch {
    return false;
  }
}
