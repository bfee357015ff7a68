/** The text of a file in a package, or the reason that it is missing. */
export type ReadmeText =
  | { readonly status: "none" }
  | { readonly status: "text"; readonly text: string }
  /** Too large or damaged; `reason` is a sentence for the reader. */
  | { readonly status: "unreadable"; readonly reason: string };

/** Result of rendering a readme. */
export type RenderedReadme =
  /** Sanitized HTML, safe to insert into a page. */
  | { readonly status: "html"; readonly html: string }
  /** The page shows the text itself. `too-complex`: rendering exceeded the time or size limit. */
  | { readonly status: "plain"; readonly reason: "too-complex" | "busy" };
