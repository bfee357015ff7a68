import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type * as repoSigning from "@sealhouse/repo-signing";
import type { KeyWithCertificate, NamedFile, Signer } from "@sealhouse/repo-signing";
import type { ObjectKey, ObjectStore } from "@sealhouse/storage-providers";
import { parseObjectKey, StorageError } from "@sealhouse/storage-providers";
import type { StoredCertificateConfig } from "../settings/stored-certificate.ts";

const BYTES_MAX = 1024 * 1024;
/** Files of the machine are looked at before every use; asking the storage costs more. */
const STORAGE_ASKED_EVERY_MS = 60 * 1000;

/** The certificate that an operator brings, for `keepSigner`. */
export type StoredCertificate = {
  /** The same signer again while the files are the same. @throws SigningError */
  open(): Promise<Signer>;
  /** Another text once a file was replaced. */
  version(): Promise<string | undefined>;
};

export function createStoredCertificate(
  { source, password, hash }: StoredCertificateConfig,
  parts: {
    readonly library: typeof repoSigning;
    readonly store: ObjectStore;
    readonly now: () => Date;
  },
): StoredCertificate {
  const { library } = parts;
  const signerOf = (found: KeyWithCertificate) => library.createKeySigner({ ...found, hash });
  if (source.type === "store") {
    return {
      open: async () => signerOf(await library.findInCertificateStore(source)),
      version: async () => undefined,
    };
  }
  const certificate = createWatchedFile(source.path, parts);
  const key = source.keyPath === undefined ? undefined : createWatchedFile(source.keyPath, parts);
  let last: { readonly digest: string; readonly signer: Signer } | undefined;
  return {
    async open() {
      const files = {
        certificate: await certificate.read(),
        ...(key && { key: await key.read() }),
      };
      const digest = digestOf(files.certificate, files.key);
      // Opening costs the many rounds of a key derivation.
      if (last?.digest === digest) return last.signer;
      const signer = signerOf(await library.readStoredCertificate(files, password));
      last = { digest, signer };
      return signer;
    },
    async version() {
      return `${await certificate.version()} ${await key?.version()}`;
    },
  };
}

type WatchedFile = {
  /** @throws SigningError */
  read(): Promise<NamedFile>;
  version(): Promise<string>;
};

type Found = NamedFile | undefined;

/** A file of the machine, or else an object of the storage. */
function createWatchedFile(
  path: string,
  {
    library: { SigningError },
    store,
    now,
  }: {
    readonly library: Pick<typeof repoSigning, "SigningError">;
    readonly store: ObjectStore;
    readonly now: () => Date;
  },
): WatchedFile {
  const local = resolve(path);
  const key = objectKeyOf(path);
  const failed = (message: string, cause?: unknown) =>
    new SigningError("certificate-file", message, { cause });
  const tooLarge = (place: string) => failed(`${place} is larger than 1 MiB.`);
  const inFolder = async (): Promise<Found> => {
    try {
      const found = await stat(local);
      if (!found.isFile()) return undefined;
      if (found.size > BYTES_MAX) throw tooLarge(local);
      return { place: local, bytes: await readFile(local) };
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      if (cause instanceof SigningError) throw cause;
      throw failed(`${local} cannot be read (${codeOf(cause) ?? String(cause)}).`, cause);
    }
  };
  const inStorage = async (): Promise<Found> => {
    const found = key && (await store.read(key));
    if (!found) return undefined;
    const place = `${path} in the storage`;
    if (found.info.size > BYTES_MAX) throw tooLarge(place);
    return { place, bytes: Buffer.concat(await Array.fromAsync(found.body)) };
  };
  const storageVersion = everySoOften(now, async () => {
    const info = key && (await store.stat(key));
    return info ? `${info.size} ${info.modifiedAt.getTime()}` : "none";
  });
  return {
    async read() {
      const found = (await inFolder()) ?? (await inStorage());
      if (found) return found;
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

/** Undefined for what cannot be a name in the storage, such as an absolute path. */
function objectKeyOf(path: string): ObjectKey | undefined {
  try {
    return parseObjectKey(path.replaceAll("\\", "/"));
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

function everySoOften(now: () => Date, ask: () => Promise<string>): () => Promise<string> {
  let asked: { readonly at: number; readonly answer: Promise<string> } | undefined;
  return () => {
    const at = now().getTime();
    if (!asked || Math.abs(at - asked.at) >= STORAGE_ASKED_EVERY_MS) asked = { at, answer: ask() };
    return asked.answer;
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
