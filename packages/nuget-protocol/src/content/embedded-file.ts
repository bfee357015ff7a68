import type { ByteSource } from "@sealhouse/http-responses";
import { ArchiveError } from "../archive/archive-error.ts";
import { findEntry, readCentralDirectory } from "../archive/central-directory.ts";
import { readEntry } from "../archive/read-entry.ts";
import { NuGetError } from "../errors.ts";
import { parseXml } from "../manifest/xml.ts";

/** Files that a manifest may name for people to look at. */
export type EmbeddedKind = "readme" | "icon" | "license";

export type EmbeddedFile = {
  readonly bytes: Uint8Array;
  /** Never one that a browser would run. */
  readonly contentType: string;
};

/** nuget.org's limit for each. */
export const EMBEDDED_BYTES_MAX = 1024 * 1024;

const MARKDOWN = "text/markdown; charset=utf-8";
const PLAIN = "text/plain; charset=utf-8";

/**
 * A file out of a stored package, by ranges. Undefined when its manifest names none, or names what
 * is not in it or is not of the kind it should be.
 * @throws {NuGetError} `not-found` when the archive cannot be read
 */
export async function readEmbeddedFile(
  source: ByteSource,
  nuspec: Uint8Array,
  kind: EmbeddedKind,
): Promise<EmbeddedFile | undefined> {
  const path = embeddedPath(nuspec, kind);
  if (path === undefined) return undefined;
  try {
    const entry = findEntry(await readCentralDirectory(source, { allowsRepeats: true }), path);
    const bytes = entry && (await readEntry(source, entry, EMBEDDED_BYTES_MAX));
    const contentType = bytes && contentTypeOf(kind, path, bytes);
    return bytes && contentType !== undefined ? { bytes, contentType } : undefined;
  } catch (cause) {
    if (!(cause instanceof ArchiveError)) throw cause;
    const problem = `The ${kind} file of this package cannot be read. ${cause.message}`;
    throw new NuGetError("not-found", { problems: [problem], cause });
  }
}

/** By its first bytes; undefined for what is neither a PNG nor a JPEG. */
export function pictureTypeOf(bytes: Uint8Array): "image/png" | "image/jpeg" | undefined {
  const start = Buffer.from(bytes.subarray(0, 8)).toString("hex");
  if (start === "89504e470d0a1a0a") return "image/png";
  return start.startsWith("ffd8ff") ? "image/jpeg" : undefined;
}

/** Asks nothing else of the manifest: those of mirrored packages may break a rule or two. */
function embeddedPath(nuspec: Uint8Array, kind: EmbeddedKind): string | undefined {
  const xml = parseXml(nuspec);
  if (xml.status === "unreadable") return undefined;
  const metadata = xml.root.children.find((child) => child.name === "metadata");
  const element = metadata?.children.find((child) => child.name === kind);
  if (kind === "license" && element?.attributes.get("type") !== "file") return undefined;
  return element?.text || undefined;
}

function contentTypeOf(kind: EmbeddedKind, path: string, bytes: Uint8Array): string | undefined {
  switch (kind) {
    case "icon":
      return pictureTypeOf(bytes);
    case "readme":
      return MARKDOWN;
    case "license":
      return /\.md$/i.test(path) ? MARKDOWN : PLAIN;
  }
}
