/** Result of rendering a readme. */
export type RenderedReadme =
  /** Sanitized HTML, safe to insert into a page. */
  | { readonly status: "html"; readonly html: string }
  /** The page shows the text itself. `too-complex`: rendering exceeded the time or size limit. */
  | { readonly status: "plain"; readonly reason: "too-complex" | "busy" };
