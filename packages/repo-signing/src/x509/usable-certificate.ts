import { DerError } from "../der/reader.ts";
import { SigningError } from "../errors.ts";
import type { Signer } from "../ports.ts";
import type { Certificate } from "./certificate.ts";
import { parseCertificate } from "./certificate.ts";
import { problemsOf } from "./certificate-rules.ts";

const EXPIRY_MARGIN_MS = 5 * 60 * 1000;

/** Parsed once per signer: the same signer signs thousands of packages. */
const parsed = new WeakMap<Signer, Certificate>();

/**
 * The certificate a signer signs with. Throws a SigningError when it is about to expire or when no
 * client would accept it; waiting does not help against either.
 */
export function usableCertificate(signer: Signer, now: Date): Certificate {
  const certificate = parsed.get(signer) ?? firstCertificate(signer);
  parsed.set(signer, certificate);
  const { subject, notAfter } = certificate;
  if (notAfter.getTime() - now.getTime() <= EXPIRY_MARGIN_MS) {
    throw new SigningError(
      "certificate-expiring",
      `The signing certificate ${subject} ends on ${notAfter.toISOString()}. Install a new one.`,
    );
  }
  const problems = problemsOf(certificate, now);
  // What stays so comes first.
  const problem = problems.find(({ code }) => code !== "NU3017") ?? problems[0];
  if (problem) {
    throw new SigningError(
      problem.code === "NU3017" ? "certificate-early" : "certificate-unusable",
      `No client accepts the signing certificate ${subject}: ${problem.message} (${problem.code}).`,
    );
  }
  return certificate;
}

function firstCertificate(signer: Signer): Certificate {
  const [der] = signer.chain;
  try {
    if (der) return parseCertificate(der);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new SigningError("certificate-unusable", `The signing certificate: ${error.message}.`);
  }
  throw new SigningError("certificate-unusable", "The signer comes without a certificate.");
}
