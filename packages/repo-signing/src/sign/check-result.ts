import { readArchive } from "../archive/archive.ts";
import { readSignatureEntry, signatureEntryOf } from "../archive/signature-entry.ts";
import { SignatureError, SigningError } from "../errors.ts";
import { sameBytes } from "../hash.ts";
import type { PackageBytes } from "../ports.ts";
import type { ParsedSignature } from "../signature/parse-signature.ts";
import { countersignatureOf, parseSignature } from "../signature/parse-signature.ts";
import { planRemove } from "../splice/edit-signature.ts";
import type { SplicePlan } from "../splice/splice-plan.ts";
import { spliced } from "../splice/splice-plan.ts";
import { POLICY_RULES } from "../verify/policy.ts";
import { verifySigners } from "../verify/verify-signature.ts";
import type { Certificate } from "../x509/certificate.ts";

export type ResultExpectation = {
  readonly file: PackageBytes;
  readonly now: Date;
  readonly certificate: Certificate;
  /** The signature that was made. */
  readonly bytes: Uint8Array;
  /** The signature that was there before. */
  readonly signature?: ParsedSignature;
  readonly contentHash: Uint8Array;
};

/**
 * Verifies our own result like a client, before it is stored: the archive, the entry, the
 * signature, its certificate, and that removing it gives a package of the right size.
 * @throws SigningError `self-check`
 */
export async function checkResult(plan: SplicePlan, expected: ResultExpectation): Promise<void> {
  try {
    const result = spliced(expected.file, plan);
    const archive = await readArchive(result);
    const entry = signatureEntryOf(archive);
    const bytes = entry && (await readSignatureEntry(result, entry));
    if (!bytes || !sameBytes(bytes, expected.bytes)) throw wrong("the archive lost it");
    checkSignature(parseSignature(bytes), expected);
    const unsigned = spliced(result, planRemove(archive));
    if (!expected.signature && unsigned.size !== expected.file.size) {
      throw wrong("the package without it has another size");
    }
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw wrong(`${error.message} (${error.code})`, error);
  }
}

function checkSignature(made: ParsedSignature, expected: ResultExpectation): void {
  const before = expected.signature?.kind === "repository" ? undefined : expected.signature;
  const ours = before ? countersignatureOf(made) : made;
  if (ours?.certificate?.fingerprint !== expected.certificate.fingerprint) {
    throw wrong("it names another certificate");
  }
  const hash = before ? before.content.value : expected.contentHash;
  if (!sameBytes(made.content.value, hash)) throw wrong("it is about another package");
  // The signature of another signer may have expired, or have a useless timestamp; ours may not.
  const lenient = before !== undefined;
  const { valid, issues } = verifySigners(made, {
    rules: { ...POLICY_RULES.verify, allowUntrusted: lenient, allowInvalidTimestamp: lenient },
    trust: { codeSigning: "any", timestamping: "any" },
    now: expected.now,
  });
  const [issue] = issues.filter((candidate) => candidate.level === "error");
  if (!valid) throw wrong(issue ? `${issue.message} (${issue.code})` : "it does not verify");
}

function wrong(why: string, cause?: unknown): SigningError {
  return new SigningError("self-check", `The new signature failed its own check: ${why}.`, {
    cause,
  });
}
