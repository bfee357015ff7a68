import { NpmError } from "../errors.ts";
import type { Call } from "./call.ts";

const PER_PAGE = 10;
const PER_PAGE_MAX = 100;

export type Page = {
  /** From 0. */
  readonly page: number;
  readonly perPage: number;
  /** Positions in the whole list: the first entry on the page, and the first after it. */
  readonly start: number;
  readonly end: number;
};

/**
 * The part of a list that a client wants (`page`, `perPage`).
 *
 * @throws NpmError `query-invalid`
 */
export function pageIn({ c }: Pick<Call, "c">): Page {
  const { searchParams } = new URL(c.req.url);
  const page = numberIn(searchParams, "page", { fallback: 0, max: 1_000_000 });
  const perPage = numberIn(searchParams, "perPage", { fallback: PER_PAGE, max: PER_PAGE_MAX }) || 1;
  return { page, perPage, start: page * perPage, end: (page + 1) * perPage };
}

function numberIn(
  parameters: URLSearchParams,
  name: string,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  const text = parameters.get(name);
  if (text === null) return fallback;
  if (/^\d{1,7}$/.test(text)) return Math.min(Number(text), max);
  throw new NpmError("query-invalid", `${name} must be a number.`);
}
