import type { SettingsTable, TypedSettings } from "@sealhouse/settings";

/** The settings below `Signing`; those of the cloud modes come with their packages. */
export const SIGNING_SETTINGS = {
  Signing__Mode: {
    kind: { type: "choice", values: ["SelfSigned", "StoredCertificate", ""] },
    aliases: ["Signing__Provider"],
    otherwise: "signing is off",
    about:
      "How packages are signed; empty turns signing off. Further values come with packages that " +
      "are loaded when one is asked for: `AzureKeyVault`, `AwsKms`, `AwsSigner`, `GcpKms`, " +
      "`GcpHsm`.",
  },
  Signing__CertificatePasswordSecret: {
    kind: { type: "text" },
    about:
      "Name of the setting or environment variable that holds the certificate's password, in the " +
      "modes `SelfSigned` and `StoredCertificate`.",
  },
  Signing__TimestampServerUrl: {
    kind: { type: "url", empty: "allowed" },
    fallback: "http://timestamp.digicert.com",
    about:
      "RFC 3161 timestamp server; empty means no timestamps, so signatures expire with " +
      "their certificate.",
  },
  Signing__TimestampServerUrls: {
    kind: { type: "list", of: { type: "url" } },
    about:
      "More such servers, each used when those before it return no usable timestamp, " +
      "`Signing__TimestampServerUrl` first where it is set; the default server is then not asked.",
  },
  Signing__TimestampFailurePolicy: {
    kind: { type: "choice", values: ["Fail", "SignWithoutTimestamp"] },
    otherwise: "`SignWithoutTimestamp` in mode `SelfSigned`, else `Fail`",
    about:
      "What happens when no server returns a usable timestamp: the package is not signed, or it " +
      "is signed without one, with a warning.",
  },
  Signing__PublishSignaturePolicy: {
    kind: { type: "choice", values: ["ReSign", "Reject"] },
    fallback: "ReSign",
    about: "What happens to an uploaded package that already has a repository signature.",
  },
  Signing__AdvertiseAllRepositorySigned: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Lets `allRepositorySigned` be true once it is true; clients then refuse packages " +
      "whose certificate they do not trust.",
  },
  Signing__ResignAfterRotation: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Re-signs in the background what older certificates have signed; the " +
      "packages' content hash stays, their bytes do not.",
  },
  Signing__SelfSigned__SubjectName: {
    kind: { type: "text" },
    otherwise: "built from the server name and the three settings below",
    about: "Complete subject of the certificate, such as `CN=Feed, O=Acme`.",
  },
  Signing__SelfSigned__Organization: {
    kind: { type: "text" },
    about: "O of the subject.",
  },
  Signing__SelfSigned__OrganizationalUnit: {
    kind: { type: "text" },
    about: "OU of the subject.",
  },
  Signing__SelfSigned__Country: {
    kind: { type: "country" },
    about: "C of the subject.",
  },
  Signing__SelfSigned__KeySize: {
    kind: { type: "choice", values: ["KeySize2048", "KeySize3072", "KeySize4096"] },
    fallback: "KeySize4096",
    about: "Size of the RSA key.",
  },
  Signing__SelfSigned__ValidityInDays: {
    kind: { type: "integer", min: 1, max: 3650 },
    fallback: "3650",
    about: "How long a new certificate is valid, in days.",
  },
  Signing__SelfSigned__CertificatePath: {
    kind: { type: "text" },
    fallback: "certs/repository-signing.pfx",
    about: "Where the certificate is kept in the storage.",
  },
  Signing__SelfSigned__HashAlgorithm: {
    kind: { type: "choice", values: ["SHA256", "SHA384", "SHA512"] },
    fallback: "SHA256",
    about: "Hash algorithm of the certificate and of the signatures.",
  },
  Signing__StoredCertificate__FilePath: {
    kind: { type: "path" },
    otherwise: "the three settings of a certificate store have to be set",
    about:
      "PFX (P12) file, or PEM file, with the certificate; first a file of the machine, then a " +
      "path in the storage. A new file is noticed without a restart.",
  },
  Signing__StoredCertificate__KeyPath: {
    kind: { type: "path" },
    otherwise: "the key is in the file of the certificate",
    about: "PEM file with the private key, plain or encrypted, when it is in a separate file.",
  },
  Signing__StoredCertificate__NextFilePath: {
    kind: { type: "path" },
    about:
      "The next certificate: a file as under `FilePath`, with the same password. It is " +
      "listed at once and signs an hour later, on all instances.",
  },
  Signing__StoredCertificate__NextKeyPath: {
    kind: { type: "path" },
    otherwise: "the key is in the file of that certificate",
    about: "PEM file with its private key, when it is in a separate file.",
  },
  Signing__StoredCertificate__Thumbprint: {
    kind: { type: "text" },
    about: "SHA-1 thumbprint of a certificate in a certificate store, in place of a file.",
  },
  Signing__StoredCertificate__StoreName: {
    kind: { type: "text" },
    about: "Name of the certificate store, such as `My`, `Root` or `TrustedPeople`.",
  },
  Signing__StoredCertificate__StoreLocation: {
    kind: { type: "choice", values: ["CurrentUser", "LocalMachine"] },
    about: "Whose certificate store it is.",
  },
  Signing__StoredCertificate__Password: {
    kind: { type: "text" },
    secret: true,
    about:
      "Password of the PFX file or of the PEM key; `Signing__CertificatePasswordSecret` keeps it " +
      "out of the settings, and wins.",
  },
  Signing__StoredCertificate__HashAlgorithm: {
    kind: { type: "choice", values: ["SHA256", "SHA384", "SHA512"] },
    fallback: "SHA256",
    about: "Hash algorithm of the signatures.",
  },
} as const satisfies SettingsTable;

export type SigningSettings = TypedSettings<typeof SIGNING_SETTINGS>;
