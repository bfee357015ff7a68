import { ArchiveError } from "./archive-error.ts";

const CONTROL = /\p{Cc}/u;
const DRIVE = /^[A-Za-z]:/;
const LENGTH_MAX = 1024;

/**
 * Where clients unpack an entry: they turn backslashes round and percent-decode the name, so the
 * path must be safe before and after that.
 * @throws {ArchiveError} for a path that leaves the folder or has no clear meaning
 */
export function entryPathOf(name: string): { path: string; isDirectory: boolean } {
  if (name.length > LENGTH_MAX) throw new ArchiveError("A file name in it is far too long.");
  const slashed = name.replaceAll("\\", "/");
  const decoded = percentDecoded(slashed).replaceAll("\\", "/");
  for (const path of [slashed, decoded]) checkPath(path);
  const isDirectory = decoded.endsWith("/");
  return { path: isDirectory ? decoded.slice(0, -1) : decoded, isDirectory };
}

function checkPath(path: string): void {
  // JSON's escapes keep control characters out of logs and headers.
  const shown = JSON.stringify(path.slice(0, 200));
  if (CONTROL.test(path)) throw new ArchiveError(`The path ${shown} has control characters.`);
  if (DRIVE.test(path)) throw new ArchiveError(`The path ${shown} names a drive.`);
  const segments = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
  if (segments.includes("..") || segments.includes(".") || segments.includes("")) {
    throw new ArchiveError(`The path ${shown} leaves its folder or has empty parts.`);
  }
}

/** Like the .NET client: an invalid escape stays unchanged. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) => {
    const bytes = Buffer.from(escapes.replaceAll("%", ""), "hex");
    return bytes.toString("utf8");
  });
}
