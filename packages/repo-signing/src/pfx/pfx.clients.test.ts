import { execFileSync, spawnSync } from "node:child_process";
import { createHmac, pbkdf2Sync, sign, verify, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readDer, sequenceOf } from "../der/reader.ts";
import { algorithm, derNull, integer, octetString, sequence } from "../der/writer.ts";
import { SigningError } from "../errors.ts";
import type { SigningProblem } from "../errors.ts";
import { parsePfx } from "./pfx-contents.ts";
import { openPfx, readEncryptedKey } from "./pfx.ts";
import { createTestCredential } from "../testing/test-credential.ts";
import { pemOf } from "../testing/test-signer.ts";
import { hasSdk } from "../testing/trusting-sdk.ts";

/** Between the octets that are changed; `pnpm test:extended` changes more. */
const OCTET_STEP = process.env["SEALHOUSE_EXTENDED_TESTS"] === undefined ? 31 : 7;

const folder = mkdtempSync(join(tmpdir(), "sealhouse-pfx-"));
afterAll(() => rmSync(folder, { recursive: true }));
const pathOf = (name: string) => join(folder, name);

const credential = await createTestCredential();
writeFileSync(pathOf("key.pem"), credential.keyPem);
writeFileSync(pathOf("cert.pem"), credential.certificatePem);
writeFileSync(pathOf("issuers.pem"), credential.issuersPem);

const WHOLE = [
  "-inkey",
  pathOf("key.pem"),
  "-in",
  pathOf("cert.pem"),
  "-certfile",
  pathOf("issuers.pem"),
];

function pkcs12(...options: readonly string[]): Buffer {
  execFileSync("openssl", ["pkcs12", "-export", "-out", pathOf("made.pfx"), ...options], {
    stdio: "pipe",
  });
  return readFileSync(pathOf("made.pfx"));
}

function madeWith(options: readonly string[], password = "s3cret ☃"): Buffer {
  return pkcs12(...WHOLE, "-passout", `pass:${password}`, ...options);
}

const WRONG = "certificate-password";
const failing = async (
  pfx: Uint8Array,
  password: string,
  problem: SigningProblem = "certificate-file",
): Promise<string> => {
  const error: unknown = await openPfx(pfx, password).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof SigningError)) throw new Error(`no SigningError: ${String(error)}`);
  expect(error.problem).toBe(problem);
  expect(error.retryable).toBe(false);
  return error.message;
};

describe("files of openssl pkcs12", () => {
  test.each([
    ["today's, AES-256 and SHA-256", []],
    ["-legacy: RC2-40 and triple DES", ["-legacy"]],
    ["-descert: triple DES for all", ["-descert", "-legacy"]],
    ["RC2-128", ["-legacy", "-certpbe", "PBE-SHA1-RC2-128", "-keypbe", "PBE-SHA1-RC2-128"]],
    ["two-key triple DES", ["-legacy", "-certpbe", "PBE-SHA1-2DES", "-keypbe", "PBE-SHA1-2DES"]],
    ["AES-128 and AES-192", ["-certpbe", "AES-128-CBC", "-keypbe", "AES-192-CBC"]],
    ["SHA-1 over the whole", ["-macalg", "sha1"]],
    ["SHA-512 over the whole", ["-macalg", "sha512"]],
    ["no checksum", ["-nomac"]],
    ["100,000 rounds", ["-iter", "100000"]],
    ["one round", ["-iter", "1", "-nomaciter"]],
    ["certificates in the clear", ["-certpbe", "NONE"]],
    ["the key in the clear", ["-keypbe", "NONE"]],
  ])("%s", async (_name, options) => {
    const read = await openPfx(madeWith(options), "s3cret ☃");
    expect(read.key.equals(credential.key)).toBe(true);
    expect(read.chain.map(pemOf)).toEqual(credential.chain.map(pemOf));
  });

  test.each([
    ["today's", []],
    ["old", ["-legacy"]],
  ])("a wrong password is called a wrong password (%s)", async (_name, options) => {
    const pfx = madeWith(options);
    expect(await failing(pfx, "guess", WRONG)).toMatch(/the password does not open it/);
    expect(await failing(pfx, "", WRONG)).toMatch(/needs a password, and none is set/);
  });

  test("the certificate of the key comes first, then its issuers, whatever the order", async () => {
    const reversed = [...credential.issuersPem.matchAll(/-----BEGIN[^]*?END CERTIFICATE-----\n/g)];
    const inputs = [...reversed.map(String).toReversed(), credential.certificatePem].join("");
    writeFileSync(pathOf("mixed.pem"), inputs);
    // openssl puts the certificate of the key first; without the key it keeps our order.
    const pfx = pkcs12("-nokeys", "-in", pathOf("mixed.pem"), "-passout", "pass:x");
    expect(await failing(pfx, "x")).toMatch(/it holds no private key/);
    const { chain } = await openPfx(pkcs12(...WHOLE, "-passout", "pass:x"), "x");
    const subjects = chain.map((der) => new X509Certificate(der).subject.split("\n").at(-1));
    expect(subjects).toEqual([
      "CN=Sealhouse Test Feed",
      "CN=Sealhouse Test Issuer",
      "CN=Sealhouse Test Root",
    ]);
  });

  test("distinguishes a missing certificate from another key's certificate", async () => {
    const keyOnly = ["-nocerts", "-inkey", pathOf("key.pem"), "-in", pathOf("key.pem")];
    const without = pkcs12(...keyOnly, "-passout", "pass:x");
    expect(await failing(without, "x")).toMatch(/it holds no certificate\.$/);
  });

  test("a key that is not RSA is refused", async () => {
    const made = ["-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
    const out = ["-keyout", pathOf("ec.key"), "-out", pathOf("ec.pem"), "-subj", "/CN=ec"];
    execFileSync("openssl", ["req", ...made, ...out], { stdio: "pipe" });
    const pfx = pkcs12("-inkey", pathOf("ec.key"), "-in", pathOf("ec.pem"), "-passout", "pass:x");
    expect(await failing(pfx, "x")).toMatch(
      /key is of type ec, and NuGet clients accept plain RSA/,
    );
  });

  test("an empty password opens, as text of length zero or as none", async () => {
    for (const options of [[], ["-legacy"]]) {
      const read = await openPfx(madeWith(options, ""), "");
      expect(read.chain).toHaveLength(3);
      expect(await failing(madeWith(options, ""), "something", WRONG)).toMatch(/does not open it/);
    }
  });
});

test("a checksum as of RFC 9579 is understood", async () => {
  const [version, safe] = sequenceOf(readDer(madeWith(["-nomac"])), "file");
  const pfx = Buffer.concat([version?.raw ?? Buffer.alloc(0), safe?.raw ?? Buffer.alloc(0)]);
  const salt = Buffer.alloc(16, 7);
  const key = pbkdf2Sync("s3cret ☃", salt, 2048, 32, "sha512");
  const { checked } = await parsePfx(sequence(pfx));
  const hmac = createHmac("sha256", key).update(checked).digest();
  const derivation = algorithm(
    "1.2.840.113549.1.5.12",
    sequence(
      octetString(salt),
      integer(2048),
      integer(32),
      algorithm("1.2.840.113549.2.11", derNull),
    ),
  );
  const scheme = algorithm("1.2.840.113549.2.9", derNull);
  const mac = (value: Uint8Array) =>
    sequence(
      sequence(
        algorithm("1.2.840.113549.1.5.14", sequence(derivation, scheme)),
        octetString(value),
      ),
      octetString(Buffer.from("not used")),
      integer(1),
    );
  expect((await openPfx(sequence(pfx, mac(hmac)), "s3cret ☃")).chain).toHaveLength(3);
  const guessed = await failing(sequence(pfx, mac(hmac)), "guess", WRONG);
  expect(guessed).toMatch(/password does not open it/);
  expect(await failing(sequence(pfx, mac(Buffer.alloc(32))), "s3cret ☃")).toMatch(/is damaged/);
});

describe("files that are damaged or hostile", () => {
  test("a changed checksum is damage, not a wrong password", async () => {
    const pfx = madeWith([]);
    const { macData } = await parsePfx(pfx);
    const [, salt] = sequenceOf(macData, "mac");
    const place = pfx.indexOf(salt?.raw ?? Buffer.alloc(0)) - 1;
    pfx[place] = (pfx[place] ?? 0) ^ 1;
    expect(await failing(pfx, "s3cret ☃")).toMatch(/it is damaged: the password opens it/);
  });

  test.each([
    ["nothing", Buffer.alloc(0), /it is damaged/],
    ["text", Buffer.from("hello"), /it is damaged/],
    ["a part of a file", madeWith([]).subarray(0, 1000), /it is damaged: the value is cut off/],
    [
      "a file with bytes behind it",
      behind(madeWith([])),
      /damaged: there are bytes after the value/,
    ],
    ["more than a mebibyte", Buffer.alloc(1024 * 1024 + 1), /larger than 1 MiB/],
    ["lists in lists", nested(5000), /it is damaged: the values are nested too deeply/],
    ["indefinite lists in lists", Buffer.from("3080".repeat(5000), "hex"), /nested too deeply/],
  ])("%s", async (_name, pfx, message) => {
    expect(await failing(pfx, "x")).toMatch(message);
  });

  test("the work a file may ask for is limited", async () => {
    const many = integer(2_000_000_000);
    const made = madeWith([]);
    const [info, salt] = sequenceOf((await parsePfx(made)).macData, "mac");
    const [version, safe] = sequenceOf(readDer(made), "file");
    const parts = [version, safe].map((part) => part?.raw ?? Buffer.alloc(0));
    const greedy = sequence(
      ...parts,
      sequence(info?.raw ?? Buffer.alloc(0), salt?.raw ?? Buffer.alloc(0), many),
    );
    // Two billion rounds would last longer than any test may.
    expect(await failing(greedy, "s3cret ☃")).toMatch(/more than 5000000 rounds/);
  });

  test.each([
    ["today's", []],
    ["old", ["-legacy"]],
    ["without a checksum", ["-nomac"]],
  ])("any changed octet gives an error or a key that works (%s)", async (_name, options) => {
    const pfx = pkcs12(...WHOLE, "-passout", "pass:x", "-iter", "1", "-nomaciter", ...options);
    let refused = 0;
    for (let place = 0; place < pfx.length; place += OCTET_STEP) {
      const changed = Buffer.from(pfx);
      changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8));
      try {
        const { key, chain } = await openPfx(changed, "x");
        const own = new X509Certificate(chain[0] ?? Buffer.alloc(0));
        const signature = sign("sha256", Buffer.from("text"), key);
        expect(verify("sha256", Buffer.from("text"), own.publicKey, signature)).toBe(true);
      } catch (error) {
        expect(error, `octet ${place}`).toBeInstanceOf(SigningError);
        refused += 1;
      }
    }
    // Without a checksum, what an issuer's certificate says may change unnoticed.
    expect(refused).toBeGreaterThan(pfx.length / OCTET_STEP / 5);
  });

  test("the event loop runs while a key is derived", async () => {
    const pfx = madeWith(["-iter", "300000"]);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    await openPfx(pfx, "s3cret ☃").finally(() => clearInterval(timer));
    expect(ticks).toBeGreaterThan(20);
  });
});

describe("encrypted PEM keys", () => {
  const encrypted = (...options: readonly string[]): Buffer =>
    execFileSync(
      "openssl",
      ["pkcs8", "-topk8", "-outform", "DER", "-passout", "pass:x", "-in", pathOf("key.pem")].concat(
        options,
      ),
      { stdio: ["ignore", "pipe", "pipe"] },
    );

  test.each([
    ["AES-256", ["-v2", "aes-256-cbc"]],
    ["triple DES", ["-v2", "des3"]],
    ["scrypt", ["-scrypt"]],
    ["the schemes of PKCS#12", ["-v1", "PBE-SHA1-3DES"]],
    ["RC2", ["-v1", "PBE-SHA1-RC2-40", "-provider", "legacy", "-provider", "default"]],
  ])("%s", async (_name, options) => {
    const key = await readEncryptedKey(encrypted(...options), "x");
    expect(key.equals(credential.key)).toBe(true);
    await expect(readEncryptedKey(encrypted(...options), "y")).rejects.toThrow(/password/);
  });

  test("none of 2,000 wrong passwords passes for a damaged key", async () => {
    const key = encrypted("-v2", "aes-256-cbc", "-iter", "1");
    for (let guess = 0; guess < 2_000; guess++) {
      const read = readEncryptedKey(key, `guess ${guess}`);
      await expect(read).rejects.toThrow(/the password does not open it/);
    }
  });

  test("names an obsolete scheme", async () => {
    const old = encrypted("-v1", "PBE-MD5-DES", "-provider", "legacy", "-provider", "default");
    await expect(readEncryptedKey(old, "x")).rejects.toThrow(
      /it uses the encryption 1\.2\.840\.113549\.1\.5\.3, which is not supported/,
    );
  });
});

describe.skipIf(!(await hasSdk("its PFX files are not read")))("files of .NET", () => {
  test("all its ways to export, with no password, an empty one and a text", async () => {
    const home = pathOf("home");
    const program = `
#:property PublishAot=false
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using var cert = X509Certificate2.CreateFromPemFile("cert.pem", "key.pem");
File.WriteAllBytes("null.pfx", cert.Export(X509ContentType.Pfx));
File.WriteAllBytes("empty.pfx", cert.Export(X509ContentType.Pfx, ""));
File.WriteAllBytes("text.pfx", cert.Export(X509ContentType.Pfx, "s3cret ☃"));
var pbe = new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA512, 5000);
File.WriteAllBytes("aes.pfx", cert.ExportPkcs12(pbe, "s3cret ☃"));
`;
    writeFileSync(pathOf("export.cs"), program);
    const ran = spawnSync("dotnet", ["run", "export.cs"], {
      cwd: folder,
      env: {
        ...process.env,
        HOME: home,
        TMPDIR: home,
        DOTNET_CLI_HOME: home,
        DOTNET_NOLOGO: "1",
      },
      encoding: "utf8",
    });
    expect(ran.stdout + ran.stderr).toBe("");
    for (const [name, password] of [
      ["null", ""],
      ["empty", ""],
      ["text", "s3cret ☃"],
      ["aes", "s3cret ☃"],
    ] as const) {
      const { key } = await openPfx(readFileSync(pathOf(`${name}.pfx`)), password);
      expect(key.equals(credential.key), name).toBe(true);
    }
  });
});

function nested(depth: number): Buffer {
  let value = Buffer.from(sequence());
  for (let level = 0; level < depth; level++) value = Buffer.from(sequence(value));
  return value;
}

function behind(pfx: Buffer): Buffer {
  return Buffer.concat([pfx, Buffer.of(0)]);
}
