import type { ReadmeText } from "@sealhouse/console";
import { NuGetError } from "@sealhouse/nuget-protocol";
import type { StoredPackage } from "@sealhouse/nuget-protocol";
import type { BlobStore } from "@sealhouse/storage-providers";

/** A text that lies in a stored package, for people. What reads archives is loaded when asked. */
export async function readEmbeddedText(
  blobs: Pick<BlobStore, "read">,
  { blob, nuspec }: StoredPackage,
  kind: "readme" | "license",
): Promise<ReadmeText> {
  const { readEmbeddedFile } = await import("@sealhouse/nuget-protocol/package");
  const source = {
    size: blob.size,
    read: (range?: { start: number; end: number }) => blobs.read(blob.key, range),
  };
  try {
    const file = await readEmbeddedFile(source, nuspec, kind);
    if (!file) return { status: "none" };
    return { status: "text", text: new TextDecoder().decode(file.bytes) };
  } catch (error) {
    if (!(error instanceof NuGetError)) throw error;
    return { status: "unreadable", reason: error.problems.join(" ") };
  }
}
