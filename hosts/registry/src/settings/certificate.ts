import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { SecureContextOptions } from "node:tls";
import type { CertificateFiles } from "./config.ts";
import type { Settings } from "./settings.ts";

/**
 * Key and certificate for TLS, from a PFX file or from PEM files.
 * @throws Error when a file cannot be read
 */
export function readCertificate(files: CertificateFiles): SecureContextOptions {
  const bytes = readFileSync(files.path);
  const passphrase = files.password === undefined ? {} : { passphrase: files.password };
  if (!bytes.includes("-----BEGIN ")) return { pfx: bytes, ...passphrase };
  const key = files.keyPath === undefined ? bytes : readFileSync(files.keyPath);
  return { cert: bytes, key, ...passphrase };
}

/** Tries the certificate before the host listens. */
export function checkCertificate(settings: Settings, files: CertificateFiles | undefined): void {
  if (!files) return;
  try {
    createSecureContext(readCertificate(files));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    settings.problem(
      "Kestrel__Certificates__Default__Path",
      `the certificate cannot be used: ${explained(reason)}; allowed: a PFX file, or a PEM file ` +
        "with its key in the same file or under Kestrel__Certificates__Default__KeyPath",
    );
  }
}

function explained(reason: string): string {
  if (/mac verify failure|bad decrypt/i.test(reason)) return "the password does not fit";
  if (/unsupported/i.test(reason)) return "it uses ciphers OpenSSL 3 no longer offers";
  return reason;
}
