/** The text of a file that lies in a package. */
export type ReadmeText =
  | { readonly status: "none" }
  | { readonly status: "text"; readonly text: string }
  /** Too large, or damaged: a sentence for the reader. */
  | { readonly status: "unreadable"; readonly reason: string };

/** What a page takes of a readme or a license; a longer one is not a text for people. */
export const TEXT_BYTES_MAX = 1024 * 1024;
