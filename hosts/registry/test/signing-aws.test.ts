import { createPublicKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  issueTestCertificate,
  pemOf,
  signDigest,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import { afterAll, expect, test } from "vitest";
import {
  startAwsSignerStandIn,
  startKmsStandIn,
  startStandIn,
} from "../../../packages/signing-aws/src/testing/index.ts";
import { runCli, spawnHost, startHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";
import { expectDocumentedSignature, makeDocumentedCertificate } from "./documented-certificate.ts";
import type { CloudCommand } from "./documented-certificate.ts";
import { parseIni, readPage, textsOf } from "./manual-page.ts";
import { blobsIn, fileOf, push, verified } from "./pushed-package.ts";

const CLEAN_UP = new AsyncDisposableStack();
afterAll(() => CLEAN_UP.disposeAsync());

const KEY = generateKeyPairSync("rsa", { modulusLength: 3072 }).privateKey;
const ROOT = await testRootCertificate();
const PEM = await certificateFor(KEY);
const kms = CLEAN_UP.use(await startKmsStandIn({ key: KEY }));
const { accessKeyId, secretAccessKey } = kms.account;
const AWS_KMS = {
  Signing__Mode: "AwsKms",
  Signing__AwsKms__Region: "eu-west-1",
  Signing__AwsKms__KeyId: "alias/feed",
  Signing__AwsKms__CertificatePem: PEM,
  Signing__AwsKms__AccessKeyId: accessKeyId,
  Signing__AwsKms__SecretAccessKey: secretAccessKey,
  Signing__AwsKms__ServiceUrl: kms.url,
  ASPNETCORE_URLS: "http://127.0.0.1:0",
};

test("docs/signing/aws-kms.md, step by step, gives packages that verify", async () => {
  await using folder = await openFolder();
  const page = await readPage("aws-kms.md");
  const lines = page.map(({ text }) => text).filter((text) => text.includes("get-public-key"));
  await makeDocumentedCertificate(folder.path, awsCommand(), lines);
  const settings = textsOf(page, "ini");
  await using host = await spawnHost({
    folder: folder.path,
    env: {
      ...parseIni(settings.join("")),
      FEED_KMS_SECRET: secretAccessKey,
      Signing__AwsKms__ServiceUrl: kms.url,
    },
  });
  await expectDocumentedSignature(host, folder.path);
});

test("warns about PSS at start, and signs", async () => {
  const Signing__AwsKms__SigningAlgorithm = "rsassa_pss_sha_512";
  await using host = await startHost({ env: { ...AWS_KMS, Signing__AwsKms__SigningAlgorithm } });
  expect(host.output()).toMatch(
    /key alias.feed .* makes RSASSA-PSS signatures, which some NuGet clients/,
  );
  expect((await push(host, "Acme.Pss")).status).toBe(201);
  expect(await verified(host, "acme.pss", ROOT)).toMatchObject({ valid: true });
});

test("stores nothing while AWS KMS is unavailable, and sends Retry-After", async () => {
  await using host = await startHost({ env: AWS_KMS });
  const token = await host.makeToken({ scopes: "read,write" });
  kms.fail("Sign", { type: "error", name: "KMSInternalException", status: 500 });
  const refused = await push(host, "Acme.Later", token);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("30");
  expect(refused.headers.get("x-nuget-warning")).toMatch(/kms:Sign .*KMSInternalException/);
  kms.fail("Sign", { type: "error", name: "DisabledException" });
  const disabled = await push(host, "Acme.Later", token);
  expect([disabled.status, disabled.headers.get("retry-after")]).toEqual([400, null]);
  expect(await disabled.text()).toMatch(/Enable the key in AWS KMS/);
  kms.recover();
  expect((await host.fetch(fileOf("acme.later"))).status).toBe(404);
  expect(await blobsIn(host.folder)).toEqual([]);

  expect((await push(host, "Acme.Later", token)).status).toBe(201);
  expect(await blobsIn(host.folder)).toHaveLength(1);
  expect(await verified(host, "acme.later", ROOT)).toMatchObject({ valid: true });
  expect(host.output()).not.toContain(secretAccessKey);
});

test.each([
  ["not there", 503],
  ["disabled", 400],
])("an AWS KMS whose key is %s does not stop the start", async (what, status) => {
  const isOut = what === "not there";
  const ServiceUrl = isOut ? { Signing__AwsKms__ServiceUrl: "http://127.0.0.1:9" } : {};
  if (!isOut) kms.fail("Sign", { type: "error", name: "DisabledException" });
  await using host = await startHost({ env: { ...AWS_KMS, ...ServiceUrl } });
  const token = await host.makeToken({ scopes: "write" });
  const refused = await push(host, "Acme.Out", token);
  expect(refused.status).toBe(status);
  // The words of AWS name accounts and roles: they are for the log.
  expect(refused.headers.get("x-nuget-warning")).not.toContain("by the test");
  if (!isOut) expect(host.output()).toMatch(/packages cannot be signed/);
  if (!isOut) expect(host.output()).toContain("It says: by the test");
  expect((await host.fetch("/npm/-/ping")).status).toBe(200);
  kms.recover();
  if (!isOut) expect((await push(host, "Acme.Back", token)).status).toBe(201);
});

test.each([
  ["a missing key id", { Signing__AwsKms__KeyId: "" }, "Signing__AwsKms__KeyId: is required"],
  [
    "no certificate",
    { Signing__AwsKms__CertificatePem: "" },
    "Signing__AwsKms__CertificatePath: is required, or Signing__AwsKms__CertificatePem",
  ],
  [
    "the certificate of another key",
    {
      Signing__AwsKms__CertificatePem: await certificateFor(
        generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
      ),
    },
    "Signing__AwsKms__CertificatePem: The certificate .* does not belong to the key alias/feed",
  ],
  [
    "an access key without its secret",
    { Signing__AwsKms__SecretAccessKey: "" },
    "Signing__AwsKms__SecretAccessKey: .*is set without its secret",
  ],
  ["AWS Signer alone", { Signing__Mode: "AwsSigner" }, "Signing__Mode: .*Use AwsKms"],
])("%s stops the start with its key", async (_what, settings, message) => {
  await using folder = await openFolder();
  const profile = {
    Signing__AwsSigner__Region: "eu-west-1",
    Signing__AwsSigner__ProfileName: "feed",
  };
  const env = { ...AWS_KMS, ...profile, ...settings };
  const { code, stdout, stderr } = await runCli(["serve"], { folder: folder.path, env });
  expect(`${stdout}${stderr}`).toMatch(new RegExp(message));
  expect(code).toBe(78);
});

test("docs/signing/aws-signer.md, run literally, signs with a service behind a profile", async () => {
  await using folder = await openFolder();
  await using aws = await startAwsSignerStandIn();
  const seen: unknown[] = [];
  await using service = await startStandIn((request, digest) => {
    seen.push(request.headers["x-signing-profile"]);
    return { status: 200, body: signDigest(digest, { key: KEY, hash: "SHA256", scheme: "pkcs1" }) };
  });
  await installPackages(folder.path);
  const page = await readPage("aws-signer.md");
  const textIn = (language: string) => textsOf(page, language).join("");
  await writeFile(join(folder.path, "aws-signer.mjs"), textIn("js"));
  await writeFile(join(folder.path, "feed.pem"), PEM);
  await using host = await spawnHost({
    folder: folder.path,
    env: {
      ...parseIni(textIn("ini")),
      Acme__SigningService: service.url,
      Signing__AwsSigner__AccessKeyId: accessKeyId,
      Signing__AwsSigner__SecretAccessKey: secretAccessKey,
      Signing__AwsSigner__ServiceUrl: aws.url,
    },
  });
  expect((await push(host, "Acme.Service")).status).toBe(201);
  expect(await verified(host, "acme.service", ROOT)).toMatchObject({ valid: true });
  expect(seen).toEqual([`${aws.profileArn}/a1b2c3d4e5`]);
});

function certificateFor(key: KeyObject): Promise<string> {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  return issueTestCertificate({ publicKey }).then(pemOf);
}

/** A stand-in for the AWS command line, as far as it prints a public key. */
function awsCommand(): CloudCommand {
  const der = createPublicKey(KEY).export({ type: "spki", format: "der" });
  const shown = der.toString("base64");
  return { name: "aws", script: `#!/bin/sh\ntest "$2" = get-public-key && echo ${shown}\n` };
}

/** Replaces `npm install` of the page by the packages of the workspace. */
async function installPackages(folder: string): Promise<void> {
  const scope = join(folder, "node_modules", "@sealhouse");
  await mkdir(scope, { recursive: true });
  for (const name of ["signing-aws", "repo-signing"]) {
    const target = fileURLToPath(new URL(`../../../packages/${name}`, import.meta.url));
    await symlink(target, join(scope, name));
  }
}
