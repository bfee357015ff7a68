import type { PageOfVersions } from "./page-request.ts";

/** A page within the bounds of a history: `from` counts versions from 0. */
export type Part = { readonly from: number; readonly number: number; readonly last: number };

export function partOf(total: number, { page, size }: PageOfVersions): Part {
  const last = Math.max(1, Math.ceil(total / size));
  const number = Math.min(Math.max(page, 1), last);
  return { from: (number - 1) * size, number, last };
}
