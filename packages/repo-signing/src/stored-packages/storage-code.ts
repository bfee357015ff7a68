/** The code of a storage's error, such as `storage-not-found`; undefined for other errors. */
export function storageCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("storage-") ? code : undefined;
}
