/**
 * A copy of a store that cannot run:
 *
 * - `storage-copy-unmarked`: the source has no store marker;
 * - `storage-copy-same-store`: the target is the source, or is inside it;
 * - `storage-copy-foreign-source`, `storage-copy-foreign-target`: the store belongs to another
 *   registry;
 * - `storage-copy-bad-journal`: the journal is another file.
 */
export class StoreCopyError extends Error {
  override readonly name = "StoreCopyError";
  readonly code:
    | "storage-copy-unmarked"
    | "storage-copy-same-store"
    | "storage-copy-foreign-source"
    | "storage-copy-foreign-target"
    | "storage-copy-bad-journal";

  constructor(code: StoreCopyError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
