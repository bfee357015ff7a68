import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readStoredCertificate } from "./stored-certificate.ts";
import { createTestCredential } from "../testing/test-credential.ts";
import { createTestSigner, pemOf } from "../testing/test-signer.ts";

const folder = mkdtempSync(join(tmpdir(), "sealhouse-stored-"));
afterAll(() => rmSync(folder, { recursive: true }));
const credential = await createTestCredential();
const { keyPem, certificatePem, issuersPem } = credential;
writeFileSync(join(folder, "key.pem"), keyPem);

const file = (place: string, content: string | Uint8Array) => ({
  place,
  bytes: typeof content === "string" ? Buffer.from(content) : content,
});
const openssl = (line: string): Buffer =>
  execFileSync("openssl", line.split(" "), { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });

test.each([
  ["both in one file", keyPem + certificatePem + issuersPem],
  ["with text around them", `Key:\n${keyPem}\nBag Attributes\n${certificatePem}${issuersPem}`],
  ["issuers first", issuersPem + certificatePem + keyPem],
])("PEM: %s", async (_name, pem) => {
  const { key, chain } = await readStoredCertificate({ certificate: file("a.pem", pem) }, "");
  expect(key.equals(credential.key)).toBe(true);
  expect(chain.map(pemOf)).toEqual(credential.chain.map(pemOf));
});

test.each([
  ["PKCS#8", () => keyPem, ""],
  ["encrypted PKCS#8", () => openssl("pkcs8 -topk8 -in key.pem -passout pass:x"), "x"],
  ["RSA PRIVATE KEY", () => openssl("rsa -traditional -in key.pem"), ""],
  [
    "encrypted RSA PRIVATE KEY",
    () => openssl("rsa -traditional -aes256 -passout pass:x -in key.pem"),
    "x",
  ],
])("a separate key file: %s", async (_name, key, password) => {
  const certificate = file("cert.pem", certificatePem + issuersPem);
  const read = await readStoredCertificate({ certificate, key: file("key.pem", key()) }, password);
  expect(read.key.equals(credential.key)).toBe(true);
  expect(read.chain).toHaveLength(3);
  if (password === "") return;
  for (const [wrong, words] of [
    ["y", /key\.pem: .*the password does not open it/],
    ["", /key\.pem: .*needs a password, and none is set/],
  ] as const) {
    const again = readStoredCertificate({ certificate, key: file("key.pem", key()) }, wrong);
    await expect(again).rejects.toThrow(words);
  }
});

test("the certificate may be DER when the key has its own file", async () => {
  const [der = new Uint8Array()] = credential.chain;
  const files = { certificate: file("cert.crt", der), key: file("key.pem", keyPem) };
  expect((await readStoredCertificate(files, "")).chain.map(pemOf)).toEqual([certificatePem]);
});

const other = await createTestSigner({ as: "author" });
const [otherDer = new Uint8Array()] = other.chain;

test.each([
  ["no key", { certificate: file("a.pem", certificatePem) }, /^a\.pem: .*no private key in PEM/],
  ["no certificate", { certificate: file("a.pem", keyPem) }, /^a\.pem: .*no certificate/],
  [
    "another's certificate",
    { certificate: file("a.pem", pemOf(otherDer)), key: file("k.pem", keyPem) },
    /^k\.pem: .*its key belongs to no certificate in a\.pem/,
  ],
  [
    "a key that is cut off",
    { certificate: file("a.pem", certificatePem), key: file("k.pem", keyPem.slice(0, 300)) },
    /^k\.pem: .*is damaged: the private key has no end/,
  ],
  [
    "a key that is damaged",
    {
      certificate: file("a.pem", certificatePem),
      key: file("k.pem", keyPem.replace(/\n.{64}\n/, "\n")),
    },
    /^k\.pem: .*is damaged/,
  ],
  [
    "a certificate that is damaged",
    { certificate: file("a.pem", keyPem + certificatePem.replace(/\n.{64}\n/, "\n")) },
    /^a\.pem: The certificate cannot be read/,
  ],
  [
    "a PFX file with a key file",
    { certificate: file("a.pfx", Buffer.from("3003020103", "hex")), key: file("k.pem", keyPem) },
    /^a\.pfx: .*it is not a certificate; a PFX file contains its key/,
  ],
  ["too much", { certificate: file("a.pem", `${keyPem}${" ".repeat(1 << 20)}`) }, /than 1 MiB/],
])("what does not do is named: %s", async (_name, files, words) => {
  await expect(readStoredCertificate(files, "")).rejects.toMatchObject({
    problem: "certificate-file",
    retryable: false,
    message: expect.stringMatching(words),
  });
});

test("a key that is not RSA is refused", async () => {
  const curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256";
  openssl(`req -x509 -nodes ${curve} -subj /CN=ec -keyout ec.key -out ec.pem`);
  const [certificate, key] = ["ec.pem", "ec.key"].map((name) =>
    file(name, readFileSync(join(folder, name))),
  );
  if (!certificate || !key) throw new Error("not made");
  await expect(readStoredCertificate({ certificate, key }, "")).rejects.toThrow(
    /key is of type ec, and NuGet clients accept plain RSA keys only/,
  );
});
