import type { ByteSource } from "@sealhouse/http-responses";
import { ENTRIES_MAX } from "@sealhouse/zip-archive";
import { ArchiveError } from "./archive-error.ts";
import type { ArchiveEntry, ArchiveOptions, CentralDirectory } from "./central-directory.ts";
import { readCentralDirectory, SIGNATURE_PATH, STORED } from "./central-directory.ts";
import { readEntry } from "./read-entry.ts";
import { NUSPEC_BYTES_MAX } from "../manifest/nuspec.ts";

/** A package archive whose directory is sound and which has exactly one manifest. */
export type Nupkg = {
  readonly directory: CentralDirectory;
  /** The bytes of the manifest, unchanged. */
  readonly nuspec: Uint8Array;
  readonly isSigned: boolean;
};

/**
 * Opens a package by ranges, and reads only its directory and its manifest.
 * @throws {ArchiveError} with the reason why it is not a package
 */
export async function openNupkg(source: ByteSource, options?: ArchiveOptions): Promise<Nupkg> {
  const directory = await readCentralDirectory(source, options);
  const signature = directory.entries.find((entry) => entry.path.toLowerCase() === SIGNATURE_PATH);
  if (signature) checkSignatureEntry(signature);
  else checkRoom(directory);
  const nuspec = await readEntry(source, manifestOf(directory), NUSPEC_BYTES_MAX);
  return { directory, nuspec, isSigned: signature !== undefined };
}

function manifestOf({ entries }: CentralDirectory): ArchiveEntry {
  const manifests = entries.filter(
    ({ path, isDirectory }) => !isDirectory && /^[^/]+\.nuspec$/i.test(path),
  );
  const [manifest, ...others] = manifests;
  if (!manifest) throw new ArchiveError("The package has no .nuspec file at its root.");
  if (others.length > 0) {
    throw new ArchiveError(
      `The package has ${manifests.length} .nuspec files at its root, not one.`,
    );
  }
  return manifest;
}

/** Signing adds an entry. */
function checkRoom({ entries }: CentralDirectory): void {
  const max = ENTRIES_MAX - 1;
  if (entries.length > max) {
    throw new ArchiveError(`The archive has more than ${max} files; it cannot be signed.`);
  }
}

/**
 * Requirements of NuGet's verifier on the entry (NU3005); readers would disagree about anything
 * else.
 */
function checkSignatureEntry(entry: ArchiveEntry): void {
  const isSound =
    Buffer.from(entry.rawName).toString("latin1") === SIGNATURE_PATH &&
    entry.flags === 0 &&
    entry.method === STORED &&
    entry.externalAttributes === 0;
  if (!isSound) {
    throw new ArchiveError(`"${SIGNATURE_PATH}" is not written the way package signatures are.`);
  }
}
