import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  hasSdk,
  pemOf,
  runDotnet,
  signedTestPackage,
  testRootCertificate,
  trustingSdk,
} from "@sealhouse/repo-signing/testing";
import { afterAll, expect, test } from "vitest";
import { certificateOf, openMode, openStandIn } from "./testing/google-mode.ts";
import { testVersion } from "./testing/kms-answers.ts";

const isInstalled = await hasSdk("no client has verified signatures of Cloud KMS");

const folder = await mkdtemp(join(tmpdir(), "google-kms-sdk-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const ALGORITHMS = [
  "RSA_SIGN_PKCS1_3072_SHA256",
  "RSA_SIGN_PKCS1_4096_SHA512",
  "RSA_SIGN_PSS_2048_SHA256",
  "RSA_SIGN_PSS_4096_SHA512",
];

// What docs/signing/google-kms.md says of RSASSA-PSS is measured here.
test.skipIf(!isInstalled)(
  "dotnet verifies what a key of Cloud KMS signed, with every kind of algorithm",
  async () => {
    const root = pemOf(await testRootCertificate());
    const roots = { codeSigning: [root], timestamping: [root] };
    const sdk = await trustingSdk(roots, join(folder, "dotnet"));
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

async function signedWith(algorithm: string): Promise<Buffer> {
  const version = testVersion({ algorithm });
  await using kms = await openStandIn({ versions: [version] });
  const settings = { ...kms.settings, CertificatePem: await certificateOf(version) };
  const signer = await openMode("GcpKms", settings).opening;
  const signed = await signedTestPackage(signer);
  await signer[Symbol.asyncDispose]?.();
  return signed;
}
