import { readFile } from "node:fs/promises";
import type { ClientTrust, VerifyOptions, CertificateRecord } from "@sealhouse/repo-signing";
import { clientTrust, POLICY_RULES, readTrustList, SigningError } from "@sealhouse/repo-signing";

/** Files the caller named; empty when nobody did. */
export type TrustArguments = {
  readonly trust: readonly string[];
  readonly timestampTrust: readonly string[];
};

/** Root certificates, DER. */
export type NamedRoots = {
  /** Undefined when the caller named none. */
  readonly roots: readonly Uint8Array[] | undefined;
  readonly timestampRoots: readonly Uint8Array[] | undefined;
};

/** An argument names a file that holds no certificates. */
export class TrustFileError extends Error {
  override readonly name = "TrustFileError";
}

/** @throws TrustFileError */
export async function readNamedRoots(given: TrustArguments): Promise<NamedRoots> {
  return { roots: await listed(given.trust), timestampRoots: await listed(given.timestampTrust) };
}

/** How package files are judged: as the .NET client of this machine does, where there is one. */
export async function trustForFiles(
  { roots, timestampRoots }: NamedRoots,
  path: string,
): Promise<{ readonly options: VerifyOptions; readonly says: string }> {
  const isNamed = roots !== undefined && timestampRoots !== undefined;
  const client = isNamed ? undefined : await clientTrust(path);
  const alsoForTimestamps = [...(client?.timestampRoots ?? []), ...(roots ?? [])];
  return {
    options: {
      roots: roots ?? client?.roots ?? [],
      timestampRoots: timestampRoots ?? alsoForTimestamps,
      policy: "verify",
      now: new Date(),
    },
    says: isNamed ? "Trusted are the roots that were named." : saysOf(client, roots === undefined),
  };
}

/**
 * How the feed's own versions are judged. Nobody asks a server whom its clients trust: unless roots
 * are named, the certificates that this feed signs with are trusted themselves, other roots are
 * only warned about, and of a time-stamp everything but its root is checked.
 */
export function trustForStored(
  { roots, timestampRoots }: NamedRoots,
  records: readonly Pick<CertificateRecord, "fingerprint" | "active">[],
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
    now: new Date(),
  };
}

function saysOf(client: ClientTrust | undefined, isForSignatures: boolean): string {
  const named = isForSignatures ? "" : "Trusted are the roots that were named. ";
  if (client) {
    const files = isForSignatures ? client.files : client.files.slice(1);
    const what = isForSignatures ? "Trusted" : "Trusted for time-stamps as well";
    return `${named}${what} are the roots in ${files.join(" and ")}.`;
  }
  if (!isForSignatures) return named.trimEnd();
  const [whose, option] = isForSignatures
    ? ["root", "--trust"]
    : ["time-stamp's root", "--timestamp-trust"];
  return `${named}No .NET SDK is on the PATH, so no ${whose} is trusted: name some with ${option}.`;
}

async function listed(files: readonly string[]): Promise<readonly Uint8Array[] | undefined> {
  if (files.length === 0) return undefined;
  return (await Promise.all(files.map(readList))).flat();
}

async function readList(file: string): Promise<readonly Uint8Array[]> {
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
