const SHA256 = /^SHA256:([0-9a-f]{64})$/i;

/**
 * The checksums a debugger sends with its question: `SHA256:<hex>;SHA384:<hex>`. Undefined when it
 * names none that this feed keeps; then any file under the key will do.
 */
export function parseSymbolChecksum(header: string | undefined): ReadonlySet<string> | undefined {
  const parts = (header ?? "").split(/[;,]/).map((part) => SHA256.exec(part.trim())?.[1]);
  const checksums = parts.flatMap((hex) => (hex === undefined ? [] : [hex.toLowerCase()]));
  return checksums.length > 0 ? new Set(checksums) : undefined;
}
