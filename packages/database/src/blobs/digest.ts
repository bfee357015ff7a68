/** Formats a digest as in OCI; the key of blobs of all protocols. */
export function digestOfSha256(hex: string): string {
  return `sha256:${hex}`;
}

export function sha256Of(digest: string): string {
  return digest.slice("sha256:".length);
}
