import { execFileSync } from "node:child_process";
import { randomBytes, X509Certificate } from "node:crypto";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SigningError } from "../errors.ts";
import { readPfx, writePfx } from "../certificate-thread/pfx.ts";
import type { CertificateFile, Signer } from "../ports.ts";
import type { SelfSignedOptions } from "./self-signed.ts";
import { createSelfSigned, openSelfSigned } from "./self-signed.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { OID } from "../der/oid.ts";
import { digest } from "../hash.ts";
import { signPackage } from "../sign/sign-package.ts";
import { spliced } from "../splice/splice-plan.ts";
import { createMemoryCertificateFile, createMemoryLedger } from "../testing/memory-ports.ts";
import { hasOpenSsl } from "../testing/open-ssl-stamps.ts";
import { bytesOf } from "../testing/sign-as-author.ts";
import { buildTestPackage } from "../testing/test-package.ts";
import { verifyPackage } from "../verify/verify-package.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { certificateProblems } from "../x509/certificate-rules.ts";
import { certificateRecordOf } from "../x509/certificate-record.ts";

const start = new Date("2026-11-21T12:00:00Z");
const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const daysLater = (days: number) => new Date(start.getTime() + days * DAY_MS);

/** State that all users of one file share. */
type Shared = {
  readonly next: CertificateFile;
  readonly ledger: ReturnType<typeof createMemoryLedger>;
};

const shared = new WeakMap<object, Shared>();

function sharedBy(file: object): Shared {
  const entry = shared.get(file);
  if (entry) return entry;
  const made = { next: createMemoryCertificateFile(), ledger: createMemoryLedger() };
  shared.set(file, made);
  return made;
}

function optionsFor(file: CertificateFile, changes: Partial<SelfSignedOptions> = {}) {
  return {
    file,
    ...sharedBy(file),
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

const ALGORITHMS = {
  SHA256: "sha256WithRsa",
  SHA384: "sha384WithRsa",
  SHA512: "sha512WithRsa",
} as const;

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
  expect(file.writes).toEqual(["first"]);
}, 60_000);

test("eight instances that renew at once prepare one successor, and change together", async () => {
  const file = createMemoryCertificateFile(madeBefore);
  const clock = { ms: daysLater(3645).getTime() };
  const renewing = optionsFor(file, { now: () => new Date(clock.ms) });
  const instances = Array.from({ length: 8 }, () => createSelfSigned(renewing));
  const inUse = async () => [
    ...new Set((await Promise.all(instances.map((open) => open()))).map(fingerprint)),
  ];
  expect(await inUse()).toEqual([fingerprint(first)]);
  clock.ms += HOUR_MS - 1;
  expect(await inUse()).toEqual([fingerprint(first)]);
  clock.ms += 1;
  const [second, ...others] = await inUse();
  expect(others).toEqual([]);
  expect(second).not.toBe(fingerprint(first));
  const restarted = createSelfSigned(renewing);
  expect(fingerprint(await restarted())).toBe(second);
  clock.ms += MINUTE_MS;
  expect(await inUse()).toEqual([second]);
  expect(file.writes).toEqual(["replaced"]);
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

test.each<[string, Partial<SelfSignedOptions>, "reused" | "succeeded" | "replaced"]>([
  ["nothing changes", {}, "reused"],
  ["the certificate has eight days left", { now: () => daysLater(3641) }, "reused"],
  ["the certificate has less than seven days left", { now: () => daysLater(3642.5) }, "succeeded"],
  ["the certificate has expired", { now: () => daysLater(4000) }, "replaced"],
  ["the subject changes", { subject: { subjectName: "CN=Other" } }, "succeeded"],
  ["the subject is written out", { subject: { subjectName: "cn = Sealhouse" } }, "reused"],
  [
    "an organization is named",
    { subject: { serverName: "Sealhouse", organization: "A" } },
    "succeeded",
  ],
  ["the validity changes", { validityInDays: 365 }, "succeeded"],
  ["the hash changes", { hash: "SHA512" }, "succeeded"],
  ["the key size changes", { keySize: 3072 }, "succeeded"],
])("when %s, the certificate in the file is %3$s: %#", async (_what, changes, outcome) => {
  const file = createMemoryCertificateFile(madeBefore);
  const options = optionsFor(file, changes);
  const second = fingerprint(await openSelfSigned(options));
  expect(second === fingerprint(first)).toBe(outcome !== "replaced");
  expect(file.writes).toEqual(outcome === "replaced" ? ["replaced"] : []);
  const listed = await sharedBy(file).ledger.list();
  expect(listed).toHaveLength(outcome === "reused" ? 0 : 1);
  const waitMs = outcome === "succeeded" ? HOUR_MS : 0;
  const later = new Date(options.now().getTime() + waitMs);
  if (outcome !== "reused") expect(listed).toMatchObject([{ firstUsedAt: later }]);
  const third = fingerprint(await openSelfSigned({ ...options, now: () => later }));
  expect(third).toBe(outcome === "reused" ? fingerprint(first) : listed[0]?.fingerprint);
});

test("a running instance notices a deleted file, renews, and outlives a lost store", async () => {
  const file = createMemoryCertificateFile(madeBefore);
  let time = start;
  let isOut = false;
  const read = () => (isOut ? Promise.reject(new Error("out")) : file.read());
  const open = createSelfSigned(optionsFor({ ...file, read }, { now: () => time }));
  expect(fingerprint(await open())).toBe(fingerprint(first));
  time = daysLater(1);
  isOut = true;
  expect(fingerprint(await open())).toBe(fingerprint(first));
  isOut = false;
  time = daysLater(2);
  expect(fingerprint(await open())).toBe(fingerprint(first));
  file.remove();
  time = daysLater(3);
  const second = fingerprint(await open());
  expect(second).not.toBe(fingerprint(first));
  time = daysLater(3648);
  expect(fingerprint(await open())).toBe(second);
  time = new Date(time.getTime() + HOUR_MS);
  expect(fingerprint(await open())).not.toBe(second);
});

test.each([
  ["CN=A,O=B", "CN=A, O=B", true],
  ["CN=A, ST=Bayern, C=de", "cn=A; S=Bayern; c=DE", true],
  ['CN="Acme  Inc."', "CN=Acme Inc.", true],
  ["CN=A, O=B", "O=B, CN=A", false],
  ["CN=A", "CN=a", false],
])("a certificate for %s is one for %s, too: %s", async (made, nextName, isReused) => {
  const file = createMemoryCertificateFile();
  await openSelfSigned(optionsFor(file, { subject: { subjectName: made } }));
  const options = optionsFor(file, { subject: { subjectName: nextName } });
  await openSelfSigned(options);
  expect((await options.next.read()) === undefined).toBe(isReused);
});

test("instances with other settings follow the one successor, and do not fight it", async () => {
  const file = createMemoryCertificateFile(madeBefore);
  let time = start;
  const now = () => time;
  const open = createSelfSigned(optionsFor(file, { now }));
  expect(fingerprint(await open())).toBe(fingerprint(first));
  const changed = optionsFor(file, { subject: { subjectName: "CN=Other" }, now });
  expect(fingerprint(await openSelfSigned(changed))).toBe(fingerprint(first));
  const [successor] = await sharedBy(file).ledger.list();
  time = new Date(start.getTime() + HOUR_MS);
  expect(fingerprint(await open())).toBe(successor?.fingerprint);
  expect(fingerprint(await openSelfSigned(changed))).toBe(successor?.fingerprint);
  time = daysLater(1);
  expect(fingerprint(await open())).toBe(successor?.fingerprint);
  expect(file.writes).toEqual(["replaced"]);
});

test("reports a failed renewal, and the old certificate signs until its end", async () => {
  const file = createMemoryCertificateFile(madeBefore);
  let time = start;
  let isOut = false;
  const write: CertificateFile["write"] = (pfx, before) =>
    isOut ? Promise.reject(new Error("the store is out")) : file.write(pfx, before);
  const reports: unknown[] = [];
  const next = { ...createMemoryCertificateFile(), write };
  const options = optionsFor({ ...file, write }, { next, now: () => time });
  const open = createSelfSigned(options, (error) => reports.push(error));
  expect(fingerprint(await open())).toBe(fingerprint(first));
  isOut = true;
  time = daysLater(3645);
  expect(fingerprint(await open())).toBe(fingerprint(first));
  expect(reports).toEqual([new Error("the store is out")]);
  time = daysLater(3649);
  await expect(open()).rejects.toThrow("the store is out");
  isOut = false;
  expect(fingerprint(await open())).not.toBe(fingerprint(first));
}, 60_000);

test.each([2048, 3072, 4096] as const)(
  "a key has %i bits when asked",
  async (keySize) => {
    const signer = await openSelfSigned(optionsFor(createMemoryCertificateFile(), { keySize }));
    const { publicKey } = new X509Certificate(derOf(signer));
    expect(publicKey.asymmetricKeyDetails?.modulusLength).toBe(keySize);
  },
  60_000,
);

test.each(["SHA256", "SHA384", "SHA512"] as const)(
  "with %s the certificate is issued and packages are signed",
  async (hash) => {
    const signer = await openSelfSigned(optionsFor(createMemoryCertificateFile(), { hash }));
    expect(parseCertificate(derOf(signer)).signatureAlgorithm).toBe(OID[ALGORITHMS[hash]]);
    expect(signer.hash).toBe(hash);
    const file = packageBytesOf(buildTestPackage("Acme", "1.0.0"));
    const outcome = await signPackage({
      file,
      sha256: digest("SHA256", await bytesOf(file)).toString("hex"),
      signer,
      serviceIndexUrl: "https://feed.example/v3/index.json",
      now: start,
      policy: "ReSign",
      moment: "upload",
    });
    if (outcome.status !== "sealed") throw new Error(outcome.status);
    const trust = { roots: [derOf(signer)], timestampRoots: [], now: start };
    const verified = await verifyPackage(spliced(file, outcome.plan), trust);
    expect(verified.valid).toBe(true);
  },
);

test("a short validity is usable and does not renew in a loop", async () => {
  const file = createMemoryCertificateFile();
  const made = await openSelfSigned(optionsFor(file, { validityInDays: 1 }));
  const opened = await openSelfSigned(optionsFor(file, { validityInDays: 1 }));
  expect(fingerprint(opened)).toBe(fingerprint(made));
});

test("a file that the password does not open is reported and left alone", async () => {
  const file = createMemoryCertificateFile(madeBefore);
  const failure = openSelfSigned(optionsFor(file, { password: "other" }));
  await expect(failure).rejects.toBeInstanceOf(SigningError);
  await expect(failure).rejects.toMatchObject({
    problem: "certificate-file",
    retryable: false,
    message: expect.stringMatching(/password does not open it.*delete the file/) as string,
  });
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

test.skipIf(!hasOpenSsl()).each(["secret", "", "pässwörd €"])(
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
