export { refuseRetired } from "./active-signer.ts";
export { readArchive } from "./archive/archive.ts";
export { contentHash } from "./archive/content-hash.ts";
export { packageBlobBytes, packageFileBytes } from "./archive/open-package-bytes.ts";
export { packageBytesOf } from "./archive/package-bytes.ts";
export { oneInstanceOnly } from "./across-instances.ts";
export type { ArchiveProblem, NuGetCode, SigningProblem, TimestampProblem } from "./errors.ts";
export {
  ArchiveError,
  SignatureError,
  SigningError,
  TimestampError,
  UnsealedError,
} from "./errors.ts";
export type { StoreMachine, StoreQuery } from "./certificate-store.ts";
export { findInCertificateStore } from "./certificate-store.ts";
export type { HashName } from "./hash.ts";
export { createKeySigner } from "./key-signer.ts";
export type { KeyCertificate } from "./key-certificate.ts";
export { certificateOfKey, certificateSettings, certificatesIn } from "./key-certificate.ts";
export type { RefreshingSigner } from "./refreshing-signer.ts";
export { createRefreshingSigner } from "./refreshing-signer.ts";
export type { OnDemandSealing, OneInstanceOnly } from "./on-demand.ts";
export { createOnDemandSealing } from "./on-demand.ts";
export type { KeyWithCertificate } from "./key-with-certificate.ts";
export { readPfx, writePfx } from "./certificate-thread/pfx.ts";
export type {
  CertificateFacts,
  CertificateFile,
  CertificateLedger,
  CertificateRecord,
  PackageBytes,
  RsaSignature,
  SealedName,
  SealKeeper,
  SealLookup,
  SignatureScheme,
  Signer,
} from "./ports.ts";
export { readCertificateFile, readCertificates } from "./read-certificates.ts";
export type { PackageSignature } from "./read-signature.ts";
export { readSignature } from "./read-signature.ts";
export type { RemoteKey, RemoteKeyOptions } from "./remote-key.ts";
export { createRemoteKey, keyOfSigner } from "./remote-key.ts";
export { createRemoteSigner } from "./remote-signer.ts";
export type { SealablePackage, ServedFile } from "./sealed-content.ts";
export { openSealed, signedContent } from "./sealed-content.ts";
export type {
  PackageIdentity as Named,
  PushedPackage,
  Seal,
  Sealer,
  SealerOptions,
  StoredIdentity,
  SealOutcome,
} from "./sealer.ts";
export type { HashedBytes } from "./splice/signed-digests.ts";
export { createSealer } from "./sealer.ts";
export { selfIssue } from "./self-issue.ts";
export { selfIssueP256 } from "./self-issue-p256.ts";
export type { RotationOptions } from "./rotation.ts";
export {
  announceSigner,
  LISTED_BEFORE_SIGNING_MS,
  refusedUntil,
  takesOverAt,
  withSuccessor,
} from "./rotation.ts";
export type { CertificateProfile, SelfSignedSubject } from "./own-certificate.ts";
export { checkSelfSigned } from "./own-certificate.ts";
export type { Rotation, SelfSignedOptions } from "./self-signed.ts";
export { createSelfSigned, openSelfSigned, rotateSelfSigned } from "./self-signed.ts";
export type { SignatureKind } from "./signature/nuget-attributes.ts";
export type { SignerFacts, TimestampFacts } from "./signature/signer-facts.ts";
export type { SignerState, SignerWatch } from "./signer-watch.ts";
export { createSignerWatch, isMisconfigured } from "./signer-watch.ts";
export { signerOfKey, trySigner } from "./signer-of-key.ts";
export { rsaSigner } from "./rsa-signer.ts";
export type { MirrorSignatures, SignOutcome, SignRequest } from "./sign-package.ts";
export { signPackage } from "./sign-package.ts";
export type { ModeContext, SigningExtension, SigningMode } from "./signing-mode.ts";
export { ModeSettingError, namedBy } from "./signing-mode.ts";
export type {
  Existing,
  MirrorPolicy,
  SignaturePolicy,
  SigningCase,
  SigningFailure,
  SigningMoment,
  SigningOrigin,
  SigningStep,
} from "./signing-step.ts";
export { signingStep } from "./signing-step.ts";
export { planInsert, planRemove, planReplace } from "./splice/edit-signature.ts";
export { decodePlan, encodePlan } from "./splice/plan-codec.ts";
export type { SplicePiece, SplicePlan } from "./splice/splice-plan.ts";
export { spliced, splicedSize } from "./splice/splice-plan.ts";
export type { NamedFile } from "./stored-certificate.ts";
export { readStoredCertificate } from "./stored-certificate.ts";
export { stripRepositorySignatures } from "./strip-signature.ts";
export type { StampOptions, Timestamper } from "./timestamp/client.ts";
export { createTimestamper } from "./timestamp/client.ts";
export { stampInOrder } from "./timestamp/in-order.ts";
export { untilAborted } from "./until-aborted.ts";
export type { RepositorySignatures, TrustedSigner } from "./verify/allow-list.ts";
export type { PolicyRules, VerificationPolicy } from "./verify/policy.ts";
export { POLICY_RULES } from "./verify/policy.ts";
export type {
  RecordedDigests,
  StoredVerification,
  StoredVersion,
  StoredVersions,
  VersionName,
} from "./verify/stored-ports.ts";
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
export { storedVersionNames, verifyStoredVersion } from "./verify/verify-stored.ts";
export type { VerificationIssue } from "./verify/verify-signer.ts";
export type { Certificate } from "./x509/certificate.ts";
export { parseCertificate } from "./x509/certificate.ts";
export { certificateRecordOf } from "./x509/certificate-record.ts";
export { createCertificateRequest } from "./x509/certificate-request.ts";
export type { CertificateProblem } from "./x509/certificate-rules.ts";
export { certificateProblems } from "./x509/certificate-rules.ts";
export { encodePem } from "./x509/pem.ts";
export { usableCertificate } from "./x509/usable-certificate.ts";
