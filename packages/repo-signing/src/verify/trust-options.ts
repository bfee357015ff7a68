import { readFile } from "node:fs/promises";
import { SigningError } from "../errors.ts";
import type { CertificateRecord } from "../ports.ts";
import { POLICY_RULES } from "./policy.ts";
import type { ClientTrust } from "./trust-list.ts";
import { readTrustList } from "./trust-list.ts";
import type { VerifyOptions } from "./verify-package.ts";

/** Root certificates that a user names, DER. Undefined = none named. */
export type NamedRoots = {
  readonly roots: readonly Uint8Array[] | undefined;
  readonly timestampRoots: readonly Uint8Array[] | undefined;
};

/** A file of root certificates is missing, unreadable or has no certificates. */
export class TrustFileError extends Error {
  override readonly name = "TrustFileError";
  readonly code = "trust-file";
}

/**
 * Reads the root certificates in all `files`; undefined for no files.
 * @throws TrustFileError
 */
export async function readTrustFiles(
  files: readonly string[],
): Promise<readonly Uint8Array[] | undefined> {
  if (files.length === 0) return undefined;
  return (await Promise.all(files.map(readTrustFile))).flat();
}

async function readTrustFile(file: string): Promise<readonly Uint8Array[]> {
  try {
    return readTrustList(await readFile(file));
  } catch (cause) {
    const why =
      cause instanceof SigningError
        ? cause.message
        : cause instanceof Error && "code" in cause
          ? `It cannot be read (${String(cause.code)}).`
          : undefined;
    if (why === undefined) throw cause;
    throw new TrustFileError(`${file}: ${why}`, { cause });
  }
}

/**
 * Trust for package files: the named roots, otherwise the lists of this machine's .NET client.
 * Roots for signatures are also trusted for timestamps.
 */
export function trustForFiles(
  { roots, timestampRoots }: NamedRoots,
  client: ClientTrust | undefined,
  now: Date,
): VerifyOptions {
  return {
    roots: roots ?? client?.roots ?? [],
    timestampRoots: timestampRoots ?? [...(client?.timestampRoots ?? []), ...(roots ?? [])],
    policy: "verify",
    now,
  };
}

/**
 * Options for judging the versions of a feed. A server does not know the trust of its clients.
 * Without named roots, active certificates of the feed are trusted, an unknown root is a warning,
 * and timestamps are checked except for their root.
 */
export function trustForStored(
  { roots, timestampRoots }: NamedRoots,
  records: readonly Pick<CertificateRecord, "fingerprint" | "active">[],
  now: Date,
): VerifyOptions {
  const own = records.filter(({ active }) => active).map(({ fingerprint }) => fingerprint);
  return {
    roots: roots ?? [],
    timestampRoots: timestampRoots ?? "any",
    trustedCertificates: new Set(roots === undefined ? own : []),
    policy: {
      ...POLICY_RULES.verify,
      allowUnsigned: true,
      allowUntrusted: roots === undefined,
    },
    now,
  };
}
