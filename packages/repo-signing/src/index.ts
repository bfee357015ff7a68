export { refuseRetired } from "./signer/active-signer.ts";
export { readArchive } from "./archive/archive.ts";
export { contentHash } from "./splice/content-hash.ts";
export { packageBlobBytes, packageFileBytes } from "./archive/open-package-bytes.ts";
export { packageBytesOf } from "./archive/package-bytes.ts";
export { oneInstanceOnly } from "./sealer/across-instances.ts";
export type { ArchiveProblem, NuGetCode, SigningProblem, TimestampProblem } from "./errors.ts";
export {
  ArchiveError,
  SignatureError,
  SigningError,
  TimestampError,
  UnsealedError,
} from "./errors.ts";
export type { StoreMachine, StoreQuery } from "./certificates/certificate-store.ts";
export { findInCertificateStore } from "./certificates/certificate-store.ts";
export type { HashName } from "./hash.ts";
export { createKeySigner } from "./keys/key-signer.ts";
export type { KeyCertificate } from "./signer/key-certificate.ts";
export { certificateOfKey, certificateSettings, certificatesIn } from "./signer/key-certificate.ts";
export type { RefreshingSigner } from "./signer/refreshing-signer.ts";
export { createRefreshingSigner } from "./signer/refreshing-signer.ts";
export type { OnDemandSealing, OneInstanceOnly } from "./sealer/on-demand.ts";
export { createOnDemandSealing } from "./sealer/on-demand.ts";
export type { KeyWithCertificate } from "./keys/key-signer.ts";
export { readPfx, writePfx } from "./certificate-thread/pfx.ts";
export type {
  CertificateFacts,
  CertificateFile,
  CertificateLedger,
  CertificateRecord,
  PackageBytes,
  PackageReadOptions,
  RsaSignature,
  SealedName,
  SealKeeper,
  SealLookup,
  SignatureScheme,
  Signer,
} from "./ports.ts";
export { readCertificateFile, readCertificates } from "./x509/read-certificates.ts";
export type { PackageSignature } from "./sign/read-signature.ts";
export { readSignature } from "./sign/read-signature.ts";
export type { RemoteKey, RemoteKeyOptions } from "./keys/remote-key.ts";
export { createRemoteKey, keyOfSigner, untilAborted } from "./keys/remote-key.ts";
export { createRemoteSigner } from "./signer/remote-signer.ts";
export type { SealablePackage, ServedFile } from "./sealer/sealed-content.ts";
export { openSealed, signedContent } from "./sealer/sealed-content.ts";
export type {
  PackageIdentity as Named,
  PushedPackage,
  Seal,
  Sealer,
  SealerOptions,
  StoredIdentity,
  SealOutcome,
} from "./sealer/sealer.ts";
export type { HashedBytes } from "./splice/signed-digests.ts";
export { createSealer } from "./sealer/sealer.ts";
export { selfIssue } from "./keys/self-issue.ts";
export { selfIssueP256 } from "./certificates/self-issue-p256.ts";
export type { RotationOptions } from "./signer/rotation.ts";
export {
  announceSigner,
  LISTED_BEFORE_SIGNING_MS,
  refusedUntil,
  takesOverAt,
  withSuccessor,
} from "./signer/rotation.ts";
export type { CertificateProfile, SelfSignedSubject } from "./keys/own-certificate.ts";
export { checkSelfSigned } from "./keys/own-certificate.ts";
export type { Rotation, SelfSignedOptions } from "./certificates/self-signed.ts";
export { createSelfSigned, openSelfSigned, rotateSelfSigned } from "./certificates/self-signed.ts";
export type { SignatureKind } from "./signature/nuget-attributes.ts";
export type { SignerFacts, TimestampFacts } from "./signature/signer-facts.ts";
export type { SignerState, SignerWatch } from "./signer/signer-watch.ts";
export { createSignerWatch, isMisconfigured } from "./signer/signer-watch.ts";
export { signerOfKey, trySigner } from "./signer/signer-of-key.ts";
export { rsaSigner } from "./keys/rsa-signer.ts";
export type { MirrorSignatures, SignOutcome, SignRequest } from "./sign/sign-package.ts";
export { signPackage } from "./sign/sign-package.ts";
export type { ModeContext, SigningExtension, SigningMode } from "./signer/signing-mode.ts";
export { ModeSettingError, namedBy } from "./signer/signing-mode.ts";
export type {
  Existing,
  MirrorPolicy,
  SignaturePolicy,
  SigningCase,
  SigningFailure,
  SigningMoment,
  SigningOrigin,
  SigningStep,
} from "./sign/signing-step.ts";
export { signingStep } from "./sign/signing-step.ts";
export { planInsert, planRemove, planReplace } from "./splice/edit-signature.ts";
export { decodePlan, encodePlan } from "./splice/plan-codec.ts";
export type { SplicePiece, SplicePlan } from "./splice/splice-plan.ts";
export { spliced, splicedSize } from "./splice/splice-plan.ts";
export type { NamedFile } from "./certificates/stored-certificate.ts";
export { readStoredCertificate } from "./certificates/stored-certificate.ts";
export { stripRepositorySignatures } from "./sign/strip-signature.ts";
export type { StampOptions, Timestamper } from "./timestamp/client.ts";
export { createTimestamper } from "./timestamp/client.ts";
export { stampInOrder } from "./timestamp/in-order.ts";
export type { RepositorySignatures, TrustedSigner } from "./verify/allow-list.ts";
export type { PolicyRules, VerificationPolicy } from "./verify/policy.ts";
export { POLICY_RULES } from "./verify/policy.ts";
export type {
  RecordedDigests,
  StoredVerification,
  StoredVersion,
  StoredVersions,
  VersionName,
} from "./stored-packages/stored-ports.ts";
export type { ClientTrust } from "./verify/trust-list.ts";
export { clientTrust, readTrustList } from "./verify/trust-list.ts";
export type { NamedRoots } from "./verify/trust-options.ts";
export {
  readTrustFiles,
  trustForFiles,
  trustForStored,
  TrustFileError,
} from "./verify/trust-options.ts";
export type {
  ReportCode,
  ReportProblem,
  VerificationReport,
} from "./verify/verification-report.ts";
export { verifyPackageFile } from "./verify/verify-file.ts";
export type { PackageVerification, SignatureType, VerifyOptions } from "./verify/verify-package.ts";
export { verifyPackage } from "./verify/verify-package.ts";
export { storedVersionNames, verifyStoredVersion } from "./stored-packages/verify-stored.ts";
export type { VerificationIssue } from "./verify/verify-signer.ts";
export type { Certificate } from "./x509/certificate.ts";
export { parseCertificate } from "./x509/certificate.ts";
export { certificateRecordOf } from "./x509/certificate-record.ts";
export { createCertificateRequest } from "./keys/certificate-request.ts";
export type { CertificateProblem } from "./x509/certificate-rules.ts";
export { certificateProblems } from "./x509/certificate-rules.ts";
export { encodePem } from "./x509/pem.ts";
export { usableCertificate } from "./x509/usable-certificate.ts";
