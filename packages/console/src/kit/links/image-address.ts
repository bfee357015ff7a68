import type { PublicAddress } from "../page/public-address.ts";
import { IMAGE_PAGES } from "../page/page-paths.ts";

/**
 * An image as clients write it: `acme/app:1.0`, `acme/app@sha256:…`. Without a reference, the whole
 * repository.
 */
export type ImageNamed = {
  readonly repository: string;
  readonly reference?: string;
};

const LENGTH_MAX = 1_024;
const DELETION = "/delete";
const NAMED = /^([a-z0-9][a-z0-9._/-]*)(?::([A-Za-z0-9_][A-Za-z0-9._-]*)|@(sha\d+:[0-9a-f]+))?$/;

/** Parses the percent-encoded path below `IMAGE_PAGES`. Undefined for any other form. */
export function parseImagePath(
  rawPath: string,
): (ImageNamed & { readonly isDeletion: boolean }) | undefined {
  const path = rawPath.length > LENGTH_MAX ? undefined : decoded(rawPath.replace(/\/$/, ""));
  if (path === undefined) return undefined;
  const isDeletion = path.endsWith(DELETION) && /[:@]/.test(path);
  const [, repository = "", tag, digest] =
    NAMED.exec(isDeletion ? path.slice(0, -DELETION.length) : path) ?? [];
  const reference = tag ?? digest;
  if (repository === "") return undefined;
  return { repository, isDeletion, ...(reference !== undefined && { reference }) };
}

export function repositoriesPath({ root }: PublicAddress, search = new URLSearchParams()): string {
  return withQuery(`${root}${IMAGE_PAGES}`, search);
}

export function repositoryPath(
  { root }: PublicAddress,
  repository: string,
  search = new URLSearchParams(),
): string {
  return withQuery(`${root}${IMAGE_PAGES}/${encoded(repository)}`, search);
}

/** Returns the path of the page for a tag or digest. */
export function imagePath(address: PublicAddress, repository: string, reference: string): string {
  return `${repositoryPath(address, repository)}${separatorOf(reference)}${encoded(reference)}`;
}

export function deletionPath(
  address: PublicAddress,
  repository: string,
  reference: string,
): string {
  return `${imagePath(address, repository, reference)}${DELETION}`;
}

/** Formats an image reference as clients write it: `acme/app:1.0`. */
export function formatImage(repository: string, reference: string): string {
  return `${repository}${separatorOf(reference)}${reference}`;
}

function separatorOf(reference: string): ":" | "@" {
  return reference.includes(":") ? "@" : ":";
}

function withQuery(path: string, search: URLSearchParams): string {
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Keeps `/` and `:` readable, because names consist of them. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%2F", "/").replaceAll("%3A", ":");
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
