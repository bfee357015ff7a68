import type { JsonObject } from "./json-value.ts";
import { listOf, objectOf } from "./json-value.ts";

const URL_LENGTH_MAX = 2048;
const GITHUB_ID = /^GHSA(?:-[0-9a-z]{4}){3}$/i;

/** The page about an advisory for people: GitHub's, the one that it names, or that of osv.dev. */
export function pageOf(id: string, document: JsonObject): string {
  if (GITHUB_ID.test(id)) return `https://github.com/advisories/GHSA${id.slice(4).toLowerCase()}`;
  const advisories = listOf(document["references"])
    .map(objectOf)
    .filter(({ type }) => type === "ADVISORY");
  const [page] = advisories.flatMap(({ url }) => pageUrlOf(url) ?? []);
  return page ?? `https://osv.dev/vulnerability/${encodeURIComponent(id)}`;
}

/**
 * An http or https URL in ASCII, which clients show as a link and print on terminals. Returns
 * `undefined` for anything else.
 */
export function pageUrlOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > URL_LENGTH_MAX || !URL.canParse(value)) {
    return undefined;
  }
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(value)) return undefined;
  const url = /^[\x21-\x7e]+$/.test(value) ? value : new URL(value).href;
  return url.length > URL_LENGTH_MAX ? undefined : url;
}
