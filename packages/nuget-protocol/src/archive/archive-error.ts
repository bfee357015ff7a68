/** A file that is no package archive, or one that could hurt whoever unpacks it. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}
