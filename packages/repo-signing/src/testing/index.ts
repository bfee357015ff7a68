export {
  createMemoryCertificateFile,
  createMemoryLedger,
  createMemorySealKeeper,
} from "./memory-ports.ts";
export type { TestModeContext } from "./mode-context.ts";
export { testModeContext } from "./mode-context.ts";
export type { OpenSslStamps, StampAuthority } from "./open-ssl-stamps.ts";
export { hasOpenSsl, openSslStamps } from "./open-ssl-stamps.ts";
export { runReadmeExample } from "./run-readme-example.ts";
export { signAs } from "./sign-as.ts";
export { bytesOf, signAsAuthor } from "./sign-as-author.ts";
export { signDigest } from "./sign-digest.ts";
export { signedTestPackage } from "./signed-test-package.ts";
export { buildTestPackage } from "./test-package.ts";
export { createTestServerCertificate } from "./test-server-certificate.ts";
export type { TestCredential } from "./test-credential.ts";
export { createTestCredential } from "./test-credential.ts";
export type { TestIdentity } from "./test-signer.ts";
export {
  createTestSigner,
  issueTestCertificate,
  pemOf,
  testRootCertificate,
} from "./test-signer.ts";
export type { StampMisbehaviour } from "./test-timestamper.ts";
export { createTestStampServer } from "./test-timestamper.ts";
export type { TrustingSdk } from "./trusting-sdk.ts";
export { hasSdk, installedSdk, runDotnet, trustingSdk } from "./trusting-sdk.ts";
