import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  hasSdk,
  issueTestCertificate,
  pemOf,
  runDotnet,
  signedTestPackage,
  testModeContext,
  testRootCertificate,
  trustingSdk,
} from "@sealhouse/repo-signing/testing";
import { afterAll, expect, test } from "vitest";
import { awsKms } from "./aws-kms.ts";
import { startKmsStandIn } from "./testing/aws-kms-stand-in.ts";
import { kmsSettings } from "./testing/stand-in-settings.ts";

const isInstalled = await hasSdk("no client has verified signatures of AWS KMS");

const folder = await mkdtemp(join(tmpdir(), "aws-kms-sdk-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

// What docs/signing/aws-kms.md says of RSASSA-PSS is measured here.
test.skipIf(!isInstalled)(
  "dotnet verifies what a key of AWS KMS signed, with every algorithm",
  async () => {
    const root = pemOf(await testRootCertificate());
    const sdk = await trustingSdk(
      { codeSigning: [root], timestamping: [root] },
      join(folder, "dotnet"),
    );
    const verdicts: Record<string, number | null> = {};
    for (const algorithm of ALGORITHMS) {
      const path = join(folder, `${algorithm}.nupkg`);
      await writeFile(path, await signedWith(algorithm));
      const { code, output } = await runDotnet(sdk, ["nuget", "verify", "--all", path, "-v", "d"]);
      expect(output).toContain("Signature type: Repository");
      verdicts[algorithm] = code;
    }
    expect(verdicts).toEqual(Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, 0])));
  },
);

const ALGORITHMS = [
  "RSASSA_PKCS1_V1_5_SHA_256",
  "RSASSA_PKCS1_V1_5_SHA_384",
  "RSASSA_PKCS1_V1_5_SHA_512",
  "RSASSA_PSS_SHA_256",
  "RSASSA_PSS_SHA_384",
  "RSASSA_PSS_SHA_512",
];

async function signedWith(algorithm: string): Promise<Buffer> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 3072 });
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  await using standIn = await startKmsStandIn({ key: privateKey });
  const mode = awsKms();
  const signer = await mode.open(
    testModeContext(mode, {
      ...kmsSettings(standIn),
      Signing__AwsKms__CertificatePem: pemOf(await issueTestCertificate({ publicKey })),
      Signing__AwsKms__SigningAlgorithm: algorithm,
    }),
  );
  const signed = await signedTestPackage(signer);
  await signer[Symbol.asyncDispose]?.();
  return signed;
}
