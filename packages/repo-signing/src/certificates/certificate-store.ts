import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { SigningError } from "../errors.ts";
import type { KeyWithCertificate } from "../keys/key-signer.ts";
import { readPfx } from "../certificate-thread/pfx.ts";
import type { RunCommand } from "./windows-certificate-store.ts";
import { exportFromWindows, runCommand } from "./windows-certificate-store.ts";

/** One certificate of a certificate store, as Windows and .NET name them. */
export type StoreQuery = {
  /** SHA-1 of the certificate, 40 hex digits. */
  readonly thumbprint: string;
  /** `My`, `Root`, `TrustedPeople`, … */
  readonly storeName: string;
  readonly storeLocation: "CurrentUser" | "LocalMachine";
};

/** The machine, for tests to replace. */
export type StoreMachine = {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly run: RunCommand;
};

const BYTES_MAX = 1024 * 1024;

/**
 * Finds a key with its certificate by thumbprint: in the folder where .NET keeps the stores of a
 * user on Linux and macOS, or in the certificate stores of Windows, from which only keys that are
 * marked exportable come out.
 *
 * @throws SigningError `certificate-file`: "certificate not found" with the places looked in, or
 *   why the one that was found cannot be used
 */
export async function findInCertificateStore(
  query: StoreQuery,
  machine: Partial<StoreMachine> = {},
): Promise<KeyWithCertificate> {
  const { platform = process.platform, home = homedir(), run = runCommand } = machine;
  const storeQuery = { ...query, storeName: canonicalName(query.storeName) };
  return platform === "win32"
    ? findOnWindows(storeQuery, run)
    : findInFolder(storeQuery, join(home, ".dotnet", "corefx", "cryptography", "x509stores"));
}

async function findInFolder(query: StoreQuery, stores: string): Promise<KeyWithCertificate> {
  const { thumbprint, storeName, storeLocation } = query;
  const folder = join(stores, storeName.toLowerCase());
  if (storeLocation === "LocalMachine") {
    throw notFound(query, "no place: only Windows keeps keys in LocalMachine; use CurrentUser");
  }
  for (const name of await filesIn(folder)) {
    // .NET adds a number when the name is taken: <thumbprint>.1.pfx
    const hasThumbprint = name.toUpperCase().startsWith(`${thumbprint.toUpperCase()}.`);
    if (!hasThumbprint || !name.toLowerCase().endsWith(".pfx")) continue;
    const place = join(folder, name);
    const candidate = await readStoreFile(place);
    if (thumbprintOf(candidate) === thumbprint.toUpperCase()) return candidate;
  }
  throw notFound(query, join(folder, `${thumbprint.toUpperCase()}.pfx`));
}

/** .NET writes the files of its stores without a password. */
async function readStoreFile(place: string): Promise<KeyWithCertificate> {
  try {
    if ((await stat(place)).size > BYTES_MAX) throw new RangeError("it is larger than 1 MiB");
    return await readPfx(await readFile(place), "");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SigningError("certificate-file", `${place}: ${why}`, { cause });
  }
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw new SigningError("certificate-file", `${folder} cannot be read (${String(code)}).`, {
      cause,
    });
  }
}

async function findOnWindows(query: StoreQuery, run: RunCommand): Promise<KeyWithCertificate> {
  const { storeLocation, storeName } = query;
  const place = `the Windows certificate store ${storeLocation}\\${storeName}`;
  const password = randomBytes(24).toString("base64url");
  const exported = await exportFromWindows({ ...query, password }, run);
  switch (exported.status) {
    case "exported":
      return readPfx(exported.pfx, password);
    case "not-found":
      throw notFound(query, place);
    case "failed":
      throw new SigningError("certificate-file", `${place}: ${exported.reason}`);
  }
}

function thumbprintOf({ chain: [der = new Uint8Array()] }: KeyWithCertificate): string {
  return createHash("sha1").update(der).digest("hex").toUpperCase();
}

/** The name the store itself has: .NET's `CertificateAuthority` is the store `CA`. */
function canonicalName(storeName: string): string {
  return storeName.toLowerCase() === "certificateauthority" ? "CA" : storeName;
}

function notFound({ thumbprint, storeName, storeLocation }: StoreQuery, place: string) {
  return new SigningError(
    "certificate-file",
    `Certificate not found: ${thumbprint.toUpperCase()} in ${storeLocation}\\${storeName}; ` +
      `looked in ${place}.`,
  );
}
