import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type * as repoSigning from "../index.ts";
import type { KeyWithCertificate, NamedFile, Signer } from "../index.ts";
import type { CertificateSource, SharedFiles, StoredCertificateConfig } from "./feed-options.ts";

const BYTES_MAX = 1024 * 1024;
/** Local files are checked before every use; the storage, which costs more, at this interval. */
const STORAGE_CHECKED_EVERY_MS = 60 * 1000;

/** The certificate of an operator, for `createRefreshingSigner`. */
export type WatchedCertificate = {
  /** The same signer again while the files are the same. @throws SigningError */
  open(): Promise<Signer>;
  /** Another text once a file was replaced. */
  version(): Promise<string | undefined>;
};

export function createWatchedCertificate(
  { source, password, passwordSetting, hash }: StoredCertificateConfig,
  parts: {
    readonly library: typeof repoSigning;
    readonly files: SharedFiles;
    readonly now: () => Date;
  },
): WatchedCertificate {
  const { library } = parts;
  const signerOf = (credential: KeyWithCertificate) =>
    library.createKeySigner({ ...credential, hash });
  if (source.type === "store") {
    return {
      open: async () => signerOf(await findInStore(source, library)),
      version: async () => undefined,
    };
  }
  const { path, keyPath, isNext } = source;
  const settings = `Signing__StoredCertificate__${isNext ? "Next" : ""}`;
  const certificate = createWatchedFile({ path, setting: `${settings}FilePath` }, parts);
  const key =
    keyPath === undefined
      ? undefined
      : createWatchedFile({ path: keyPath, setting: `${settings}KeyPath` }, parts);
  let last: { readonly digest: string; readonly signer: Signer } | undefined;
  return {
    async open() {
      const pair = {
        certificate: await certificate.read(),
        ...(key && { key: await key.read() }),
      };
      const digest = digestOf(pair.certificate, pair.key);
      // Opening costs the many rounds of a key derivation.
      if (last?.digest === digest) return last.signer;
      const signer = signerOf(await library.readStoredCertificate(pair, password, passwordSetting));
      last = { digest, signer };
      return signer;
    },
    async version() {
      return `${await certificate.version()} ${await key?.version()}`;
    },
  };
}

type StoreSource = Extract<CertificateSource, { readonly type: "store" }>;

/** Adds the setting with the faulty value to an error. */
async function findInStore(
  source: StoreSource,
  { findInCertificateStore, SigningError }: typeof repoSigning,
): Promise<KeyWithCertificate> {
  try {
    return await findInCertificateStore(source);
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause;
    const isNoPlace = source.storeLocation === "LocalMachine" && process.platform !== "win32";
    const setting = `Signing__StoredCertificate__${isNoPlace ? "StoreLocation" : "Thumbprint"}`;
    throw new SigningError(cause.problem, cause.message, { cause, setting });
  }
}

type WatchedFile = {
  /** @throws SigningError */
  read(): Promise<NamedFile>;
  version(): Promise<string>;
};

type Found = NamedFile | undefined;

/** A file of the machine, or else an object of the storage. */
function createWatchedFile(
  { path, setting }: { readonly path: string; readonly setting: string },
  {
    library: { SigningError },
    files,
    now,
  }: {
    readonly library: Pick<typeof repoSigning, "SigningError">;
    readonly files: SharedFiles;
    readonly now: () => Date;
  },
): WatchedFile {
  const local = resolve(path);
  const key = files.keyOf(path);
  const failed = (message: string, cause?: unknown) =>
    new SigningError("certificate-file", message, { cause, setting });
  const tooLarge = (place: string) => failed(`${place} is larger than 1 MiB.`);
  const inFolder = async (): Promise<Found> => {
    try {
      const stats = await stat(local);
      if (!stats.isFile()) return undefined;
      if (stats.size > BYTES_MAX) throw tooLarge(local);
      return { place: local, bytes: await readFile(local), setting };
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      if (cause instanceof SigningError) throw cause;
      throw failed(`${local} cannot be read (${codeOf(cause) ?? String(cause)}).`, cause);
    }
  };
  const inStorage = async (): Promise<Found> => {
    const bytes = await files.read(path);
    const place = `${path} in the storage`;
    if (bytes === "too-large") throw tooLarge(place);
    return bytes && { place, bytes, setting };
  };
  const storageVersion = cachedFor(now, async () => (await files.version(path)) ?? "none");
  return {
    async read() {
      const file = (await inFolder()) ?? (await inStorage());
      if (file) return file;
      const alsoIn = key ? ` and ${key} in the storage` : "";
      throw failed(`Certificate not found: looked for the file ${local}${alsoIn}.`);
    },
    async version() {
      try {
        const { ino, size, mtimeMs, ctimeMs } = await stat(local);
        return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
      } catch (error) {
        if (isMissing(error)) return storageVersion();
        throw error;
      }
    },
  };
}

function cachedFor(now: () => Date, ask: () => Promise<string>): () => Promise<string> {
  let lookup: { readonly at: number; readonly answer: Promise<string> } | undefined;
  return () => {
    const timeMs = now().getTime();
    if (!lookup || Math.abs(timeMs - lookup.at) >= STORAGE_CHECKED_EVERY_MS)
      lookup = { at: timeMs, answer: ask() };
    return lookup.answer;
  };
}

function digestOf(...files: readonly (NamedFile | undefined)[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file?.bytes.length} `).update(file?.bytes ?? "");
  return hash.digest("hex");
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");
}
