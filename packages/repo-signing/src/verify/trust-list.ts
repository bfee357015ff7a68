import { accessSync, constants } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { DerError } from "../der/reader.ts";
import { SigningError } from "../errors.ts";
import { checkReadable } from "../x509/certificate.ts";

/**
 * Root certificates from PEM text (other text is ignored), or from one DER certificate.
 *
 * @throws SigningError `certificate-file` when there is no certificate, or one cannot be read
 */
export function readTrustList(content: Uint8Array): readonly Uint8Array[] {
  const text = Buffer.from(content).toString("latin1");
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g);
  const fromPem = [...blocks].map(
    ([, base64 = ""]) => new Uint8Array(Buffer.from(base64, "base64")),
  );
  const ders = fromPem.length > 0 ? fromPem : [content];
  for (const [index, der] of ders.entries()) {
    try {
      checkReadable(der);
    } catch (cause) {
      if (!(cause instanceof DerError)) throw cause;
      const which = fromPem.length > 1 ? `Certificate ${index + 1} of the list` : "The certificate";
      throw new SigningError("certificate-file", `${which} cannot be read: ${cause.message}.`, {
        cause,
      });
    }
  }
  return ders;
}

/** The lists that the .NET client on this machine goes by. */
export type ClientTrust = {
  readonly roots: readonly Uint8Array[];
  readonly timestampRoots: readonly Uint8Array[];
  /** The files they were read from. */
  readonly files: readonly [string, string];
};

/** Where it is there, Linux clients go by it and not by the SDK's list; for code signing only. */
const SYSTEM_BUNDLE = "/etc/pki/ca-trust/extracted/pem/objsign-ca-bundle.pem";

/**
 * The trust lists that `dotnet nuget verify` uses on Linux and macOS: the newest SDK's, and the
 * system's bundle in place of the first where there is one. Undefined when no .NET SDK is found
 * in `path`, a list of folders as the variable PATH has it.
 */
export async function clientTrust(
  path: string,
  systemBundle = SYSTEM_BUNDLE,
): Promise<ClientTrust | undefined> {
  const folder = await newestSdk(path);
  if (folder === undefined) return undefined;
  const files = { code: join(folder, "codesignctl.pem"), time: join(folder, "timestampctl.pem") };
  const system = await listIn(systemBundle);
  const [code, time] = [system ?? (await listIn(files.code)), await listIn(files.time)];
  return {
    roots: code ?? [],
    timestampRoots: time ?? [],
    files: [system ? systemBundle : files.code, files.time],
  };
}

/** Undefined where the client would go on to its next list, too. */
async function listIn(file: string): Promise<readonly Uint8Array[] | undefined> {
  try {
    return readTrustList(await readFile(file));
  } catch (error) {
    if (error instanceof SigningError || isMissing(error)) return undefined;
    throw error;
  }
}

async function newestSdk(path: string): Promise<string | undefined> {
  const starter = path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "dotnet"))
    .find(isExecutable);
  if (starter === undefined) return undefined;
  const folder = join(dirname(await realpath(starter)), "sdk");
  try {
    const byNumber = new Intl.Collator("en", { numeric: true });
    const newest = (await readdir(folder)).filter((name) => /^\d/.test(name));
    const version = newest.toSorted(byNumber.compare).at(-1);
    return version === undefined ? undefined : join(folder, version, "trustedroots");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
