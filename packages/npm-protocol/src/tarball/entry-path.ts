const PATH_BYTES_MAX = 1024;
const COMPONENT_BYTES_MAX = 255;

/**
 * The reason why a path must not be in a package, which continues "has the path X, which …";
 * undefined when it may. A folder's path may end with a slash.
 */
export function problemOfPath(path: string, type: "file" | "directory"): string | undefined {
  const trimmed = type === "directory" && path.endsWith("/") ? path.slice(0, -1) : path;
  const components = trimmed.split("/");
  if (path.startsWith("/")) return "is absolute";
  if (path.includes("\\")) return "holds a backslash";
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\0-\x1f\x7f-\x9f]/.test(path)) return "holds a control character";
  if (components.includes("..")) return "leads out of the package";
  if (components.includes(".") || components.includes("")) return "has an empty part";
  if (path !== path.normalize("NFC")) return "is not in Unicode normal form C";
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `is longer than ${PATH_BYTES_MAX} bytes`;
  if (components.some((part) => Buffer.byteLength(part) > COMPONENT_BYTES_MAX)) {
    return `has a part longer than ${COMPONENT_BYTES_MAX} bytes`;
  }
  return type === "file" && components.length < 2 ? "lies outside the top folder" : undefined;
}
