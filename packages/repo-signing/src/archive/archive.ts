import { readRange, readZipArchive, ZipError } from "@sealhouse/zip-archive";
import type { ZipArchive } from "@sealhouse/zip-archive";
import { ArchiveError } from "../errors.ts";
import type { PackageBytes } from "../ports.ts";

/**
 * Reads the directory of a package. Refuses what no NuGet client could verify.
 * @throws {ArchiveError}
 */
export function readArchive(file: PackageBytes): Promise<ZipArchive> {
  return withArchiveErrors(readZipArchive(file));
}

/** `length` bytes from `start`, in memory. Throws an ArchiveError when the file is shorter. */
export function readBytes(file: PackageBytes, start: number, length: number): Promise<Buffer> {
  return withArchiveErrors(readRange(file, start, length));
}

/** Clients hash the bytes before the first entry, so they would never find the signed hash. */
export function refusePrefix(archive: ZipArchive): void {
  if (archive.entries.every((entry) => entry.start > 0)) {
    throw new ArchiveError("prefix", "There are bytes before the archive's first entry.", "NU3008");
  }
}

async function withArchiveErrors<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    const { problem, message } = error;
    if (problem !== "zip64") throw new ArchiveError(problem, message);
    const words = "The archive is in ZIP64 form and cannot be signed.";
    throw new ArchiveError("zip64", words, "NU3006");
  }
}
