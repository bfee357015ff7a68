import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { digest } from "../hash.ts";
import type { Signer } from "../ports.ts";
import { createSelfSigned } from "../certificates/self-signed.ts";
import { signPackage } from "./sign-package.ts";
import { spliced } from "../splice/splice-plan.ts";
import {
  buildTestPackage,
  bytesOf,
  createMemoryCertificateFile,
  createMemoryLedger,
  createTestSigner,
  createTestStampServer,
  hasSdk,
  installedSdk,
  pemOf,
  runDotnet,
  signAsAuthor,
  testRootCertificate,
  trustingSdk,
} from "../testing/index.ts";
import type { TrustingSdk } from "../testing/index.ts";
import { createTimestamper } from "../timestamp/client.ts";

const isInstalled = await hasSdk("no real client has verified our signatures");

const vectors = new URL("../../../../vectors/nuget-signatures/", import.meta.url);
const now = () => new Date();
const stamp = createTimestamper({
  url: "http://time.test/",
  fetch: await createTestStampServer({ now }),
  randomBytes,
  now,
});
const selfSigned = createSelfSigned({
  file: createMemoryCertificateFile(),
  next: createMemoryCertificateFile(),
  ledger: createMemoryLedger(),
  password: "secret",
  subject: { serverName: "Sealhouse", organization: "Acme, Inc.", country: "DE" },
  keySize: 2048,
  validityInDays: 3650,
  hash: "SHA256",
  now,
  randomBytes,
});

let folder = "";
let sdk: TrustingSdk | undefined;

beforeAll(async () => {
  if (!isInstalled) return;
  folder = await mkdtemp(join(tmpdir(), "sealhouse-sdk-"));
  const root = pemOf(await testRootCertificate());
  const [own = new Uint8Array()] = (await selfSigned()).chain;
  const vectorRoots = readFileSync(new URL("certs/trust-all.pem", vectors), "utf8");
  sdk = await trustingSdk(
    { codeSigning: [root, pemOf(own), vectorRoots], timestamping: [root, vectorRoots] },
    join(folder, "dotnet"),
  );
});

afterAll(async () => {
  if (folder !== "") await rm(folder, { recursive: true, force: true });
});

test.skipIf(!isInstalled).each([
  ["a self-signed certificate", selfSigned, false],
  ["a self-signed certificate and a time-stamp", selfSigned, true],
  ["an issued certificate and SHA-384", () => createTestSigner({ hash: "SHA384" }), false],
  ["an issued certificate and SHA-512", () => createTestSigner({ hash: "SHA512" }), true],
])("dotnet verifies a package we signed with %s", async (_how, openSigner, stamped) => {
  const signed = await sign(buildTestPackage("Acme.Example", "1.2.3"), await openSigner(), stamped);
  const { code, output } = await verify(signed, "Acme.Example.1.2.3.nupkg");
  expect(output).toContain("Signature type: Repository");
  expect(output).toContain("Service index: https://feed.test/v3/index.json");
  expect(output.includes("NU3027")).toBe(!stamped);
  expect({ code, output }).toMatchObject({ code: 0 });
});

test.skipIf(!isInstalled).each([
  ["author.nupkg", false],
  ["author-counter-ts.nupkg", true],
  ["untyped.nupkg", false],
])("dotnet verifies our countersignature on %s", async (file, stamped) => {
  const received = readFileSync(new URL(`packages/${file}`, vectors));
  const signed = await sign(received, await selfSigned(), stamped);
  const { code, output } = await verify(signed, file);
  expect(output).toContain("Service index: https://feed.test/v3/index.json");
  expect({ code, output }).toMatchObject({ code: 0 });
});

test.skipIf(!isInstalled)(
  "dotnet verifies an author's own signature that we countersigned",
  async () => {
    const author = await createTestSigner({ as: "author" });
    const unsigned = buildTestPackage("Acme.Authored", "2.0.0");
    const authored = await signAsAuthor(unsigned, author, { timestamp: stamp });
    const signed = await sign(authored, await createTestSigner(), true);
    const { code, output } = await verify(signed, "Acme.Authored.2.0.0.nupkg");
    expect(output).toContain("Signature type: Author");
    expect(output).toContain("Signature type: Repository");
    expect({ code, output }).toMatchObject({ code: 0 });
  },
);

test.skipIf(!isInstalled)(
  "dotnet verifies a package whose foreign signature we replaced",
  async () => {
    const received = readFileSync(new URL("packages/sigfirst.nupkg", vectors));
    const signed = await sign(received, await selfSigned(), false);
    const { code, output } = await verify(signed, "replaced.nupkg");
    expect({ code, output }).toMatchObject({ code: 0 });
  },
);

test.skipIf(!isInstalled)("dotnet does not trust our signature without its root", async () => {
  const installed = await installedSdk();
  if (!sdk || installed === undefined) throw new Error("there is no SDK");
  const signed = await sign(buildTestPackage("Acme.New", "1.0.0"), await selfSigned(), false);
  const path = join(folder, "Acme.New.1.0.0.nupkg");
  await writeFile(path, signed);
  const plain = { ...sdk, dotnet: join(installed, "dotnet"), env: { ...sdk.env, DOTNET_ROOT: "" } };
  const { code, output } = await runDotnet(plain, ["nuget", "verify", "--all", path]);
  expect(code).not.toBe(0);
  expect(output).toContain("NU3018");
});

test.skipIf(!isInstalled)(
  "dotnet refuses what we signed when one byte is changed after",
  async () => {
    const signed = await sign(buildTestPackage("Acme.Bad", "1.0.0"), await selfSigned(), false);
    signed[40] = (signed[40] ?? 0) ^ 1;
    const { code, output } = await verify(signed, "Acme.Bad.1.0.0.nupkg");
    expect(code).not.toBe(0);
    expect(output).toContain("NU3008");
  },
);

async function sign(file: Uint8Array, signer: Signer, stamped: boolean): Promise<Buffer> {
  const source = packageBytesOf(file);
  const outcome = await signPackage({
    file: source,
    sha256: digest("SHA256", file).toString("hex"),
    signer,
    serviceIndexUrl: "https://feed.test/v3/index.json",
    now: now(),
    policy: "ReSign",
    moment: "upload",
    ...(stamped && { timestamp: { stamp, onFailure: "fail" } }),
  });
  if (outcome.status !== "sealed") throw new Error(`${outcome.status}: ${outcome.reason}`);
  return bytesOf(spliced(source, outcome.plan));
}

async function verify(file: Uint8Array, name: string) {
  if (!sdk) throw new Error("there is no SDK");
  const path = join(folder, name);
  await writeFile(path, file);
  return runDotnet(sdk, ["nuget", "verify", "--all", path, "-v", "detailed"]);
}
