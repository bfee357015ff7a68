import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import {
  issueTestCertificate,
  pemOf,
  runReadmeExample,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import { expect, test } from "vitest";
import { kmsSettings, startKmsStandIn } from "./testing/index.ts";

test("the README's example signs a package", async () => {
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  await using kms = await startKmsStandIn({ key });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  const certificate = await issueTestCertificate({ publicKey });
  const output = await runReadmeExample(join(import.meta.dirname, ".."), {
    env: { ...kmsSettings(kms), Signing__AwsKms__CertificatePath: "feed.pem" },
    files: { "feed.pem": pemOf(certificate) + pemOf(await testRootCertificate()) },
  });
  expect(output).toBe("sealed\n");
});
