export type RenderedReadme =
  /** Safe to put into a page as it is. */
  | { readonly status: "html"; readonly html: string }
  /** To be shown as text. `too-complex`: it took too long, or became too large. */
  | { readonly status: "plain"; readonly reason: "too-complex" | "busy" };
