import type { WordField } from "@sealhouse/nuget-protocol";

/** The columns of `nuget_search_entries`, in the order in which the indexes have them. */
export const WORD_COLUMNS = {
  filters: "filters",
  idWords: "id_words",
  idParts: "id_parts",
  title: "title",
  tags: "tags",
  authors: "authors",
  summary: "summary",
  description: "description",
} as const satisfies Record<WordField, string>;
