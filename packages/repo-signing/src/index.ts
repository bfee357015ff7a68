export type {
  CertificateFile,
  CertificateLedger,
  CertificateRecord,
  PackageBytes,
  SealKeeper,
  Signer,
} from "./ports.ts";
