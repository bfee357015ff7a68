import type { ReadmeText } from "../readme/readme-text.ts";
import { isNuGetError } from "@sealhouse/nuget-protocol";
import type { StoredPackage } from "@sealhouse/nuget-protocol";
import type { PackageFiles } from "./nuget-lookups.ts";

/** Reads a text file of a stored package. Loads the archive reader on first use. */
export async function readEmbeddedText(
  files: PackageFiles,
  { blob, nuspec }: StoredPackage,
  kind: "readme" | "license",
): Promise<ReadmeText> {
  const { readEmbeddedFile } = await import("@sealhouse/nuget-protocol/package");
  const source = {
    size: blob.size,
    read: (range?: { start: number; end: number }) => files.read(blob.key, range),
  };
  try {
    const file = await readEmbeddedFile(source, nuspec, kind);
    if (!file) return { status: "none" };
    return { status: "text", text: new TextDecoder().decode(file.bytes) };
  } catch (error) {
    if (!isNuGetError(error)) throw error;
    return { status: "unreadable", reason: error.problems.join(" ") };
  }
}
