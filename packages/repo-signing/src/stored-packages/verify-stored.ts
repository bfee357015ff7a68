import { createHash } from "node:crypto";
import { SigningError } from "../errors.ts";
import { openSealed } from "../sealer/sealed-content.ts";
import type { ReportProblem, VerificationReport } from "../verify/verification-report.ts";
import { reportOf } from "../verify/verification-report.ts";
import type { PackageVerification } from "../verify/verify-package.ts";
import { verifyPackage } from "../verify/verify-package.ts";
import type { PackageBytes } from "../ports.ts";
import type { StoredVersion, StoredVerification, VersionName } from "./stored-ports.ts";

const IDS_PER_PAGE = 200;

/** The names of all versions of a feed, in lower case. */
export async function* storedVersionNames({
  ids,
  lookup,
}: StoredVerification["versions"]): AsyncGenerator<VersionName> {
  for (let after = ""; ;) {
    const page = await ids.page(after, IDS_PER_PAGE);
    for (const id of page) {
      for (const { version } of await lookup.summaries(id)) {
        yield { id, version: version.toLowerCase() };
      }
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/**
 * Verifies one version of a feed: its stored bytes have the recorded digests, and the file that
 * clients get has its recorded digests and a valid signature. Changes nothing. Undefined: there is
 * no such version.
 */
export async function verifyStoredVersion(
  name: VersionName,
  parts: StoredVerification,
): Promise<VerificationReport | undefined> {
  const report = await verifyOnce(name, parts);
  // A host may have deleted, overwritten or signed the version in the meantime: look again.
  return report?.valid === false ? verifyOnce(name, parts) : report;
}

async function verifyOnce(
  { id, version }: VersionName,
  parts: StoredVerification,
): Promise<VerificationReport | undefined> {
  const { lookup, provenance } = parts.versions;
  const stored = await lookup.find(id, version);
  if (!stored) return undefined;
  const file = `${stored.id}.${stored.version}.nupkg`.toLowerCase();
  const recorded = await provenance.find(id, version);
  try {
    return await verifyBytes(file, { stored, recorded }, parts);
  } catch (error) {
    return reportOf(file, undefined, { errors: [brokenProblem(error)] });
  }
}

type Recorded = Awaited<ReturnType<StoredVerification["versions"]["provenance"]["find"]>>;

async function verifyBytes(
  file: string,
  { stored, recorded }: { readonly stored: StoredVersion; readonly recorded: Recorded },
  { blobs, options, warnsOfUnsigned }: StoredVerification,
): Promise<VerificationReport> {
  const { blob, seal } = stored;
  const read = (range?: { readonly start: number; readonly end: number }) =>
    blobs.read(blob.key, range);
  const bytes = digestWhileRead({ size: blob.size, read });
  const received = { ...bytes.file, sha256: blob.sha256 };
  const served = digestWhileRead(seal ? openSealed(received, seal) : received);
  const verification = await verifyPackage(served.file, options);
  const signed = seal && recorded?.signed.find(({ replacedAt }) => !replacedAt)?.digests;
  const errors = [
    ...digestProblems("stored bytes have the SHA-256", await bytes.sha256(), blob.sha256),
    ...(signed
      ? digestProblems("signed file has the SHA-256", await served.sha256(), signed.sha256)
      : []),
    ...digestProblems(
      "package has the contentHash",
      verification.contentHash,
      recorded?.contentHash,
    ),
  ];
  const warnings = warnsOfUnsigned ? unsignedProblems(verification) : [];
  return reportOf(file, verification, { errors, warnings });
}

/** No problem where one of the two is unknown. */
function digestProblems(
  what: string,
  actual: string | undefined,
  recorded: string | undefined,
): readonly ReportProblem[] {
  if (actual === undefined || recorded === undefined || actual === recorded) return [];
  const message = `The ${what} ${actual}, and ${recorded} is on record.`;
  return [{ code: "DIGEST_MISMATCH", message }];
}

function unsignedProblems({ signatureType }: PackageVerification): readonly ReportProblem[] {
  if (signatureType !== "none") return [];
  const message = "The version is not signed yet; its first download signs it.";
  return [{ code: "NU3004", message }];
}

/** @throws errors other than those of the storage and the stored signature */
function brokenProblem(error: unknown): ReportProblem {
  if (error instanceof SigningError) return { code: "SEAL_BROKEN", message: error.message };
  const storageCode = storageCodeOf(error);
  if (storageCode === undefined || !(error instanceof Error)) throw error;
  const code = storageCode === "storage-not-found" ? "BYTES_MISSING" : "UNREADABLE";
  return { code, message: error.message };
}

/** The code of a storage's error, such as `storage-not-found`; undefined for other errors. */
export function storageCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("storage-") ? code : undefined;
}

/**
 * The same file, hashed while it is read from its beginning, so that its digest needs no second
 * pass. `sha256` reads what was not read in order.
 */
export function digestWhileRead(source: PackageBytes): {
  readonly file: PackageBytes;
  /** Lower-case hex. Call it once, after `file` was read. */
  sha256(): Promise<string>;
} {
  const hash = createHash("sha256");
  let hashed = 0;
  async function* reading(range?: { readonly start: number; readonly end: number }) {
    let start = range?.start ?? 0;
    for await (const chunk of source.read(range)) {
      const end = start + chunk.length;
      if (start <= hashed && hashed < end) {
        hash.update(chunk.subarray(hashed - start));
        hashed = end;
      }
      start = end;
      yield chunk;
    }
  }
  return {
    file: { size: source.size, read: reading },
    async sha256() {
      if (hashed < source.size) {
        for await (const chunk of source.read({ start: hashed, end: source.size - 1 })) {
          hash.update(chunk);
        }
      }
      return hash.digest("hex");
    },
  };
}
