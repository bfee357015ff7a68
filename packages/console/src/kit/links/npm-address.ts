import type { PublicAddress } from "../page/public-address.ts";
import { NPM_PAGES } from "../page/page-paths.ts";

/** A package, and a version or dist-tag of it. */
export type NpmNamed = {
  readonly name: string;
  /** A version or a dist-tag. */
  readonly version?: string;
};

const LENGTH_MAX = 1024;
const LINKED = /^(?:@[^/@.][^/@]*\/)?[^/@.][^/@]*$/;
const LINKED_LENGTH_MAX = 214;

/**
 * Parses the percent-encoded path below `NPM_PAGES`: `@acme/app`, `@acme%2fapp`, `%40acme%2Fapp`
 * or, behind some proxies, `@acme%252fapp`, optionally followed by `/v/1.0.0`. Undefined for any
 * other form. Does not validate the name.
 */
export function parseNpmPath(rawPath: string): NpmNamed | undefined {
  if (rawPath.length > LENGTH_MAX) return undefined;
  const parts = rawPath.replace(/\/$/, "").split("/").map(decodedPart);
  const [first = "", second] = parts;
  const isSplit = first.startsWith("@") && !first.includes("/");
  const name = isSplit ? `${first}/${second ?? ""}` : first;
  const [mark, version, ...more] = parts.slice(isSplit ? 2 : 1);
  if (name === "" || parts.includes(undefined) || more.length > 0) return undefined;
  if (mark === undefined) return { name };
  return mark === "v" && version ? { name, version } : undefined;
}

export function npmSearchPath({ root }: PublicAddress, search: URLSearchParams): string {
  const text = search.toString();
  return `${root}${NPM_PAGES}${text === "" ? "" : `?${text}`}`;
}

/** Returns the path of the page of a package or version. */
export function npmPackagePath({ root }: PublicAddress, { name, version }: NpmNamed): string {
  const path = `${root}${NPM_PAGES}/${name.split("/").map(segment).join("/")}`;
  return version === undefined ? path : `${path}/v/${segment(version)}`;
}

/** Whether an untrusted name is safe in a link; the page shows other names as plain text. */
export function isLinkable(name: string): boolean {
  return name.length <= LINKED_LENGTH_MAX && LINKED.test(name);
}

/** Returns the path of the version's tarball. */
export function tarballPath({ root }: PublicAddress, name: string, version: string): string {
  const file = `${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
  return `${root}/npm/${name.split("/").map(segment).join("/")}/-/${segment(file)}`;
}

export function attestationsPath(
  { root }: PublicAddress,
  { name, version }: Required<NpmNamed>,
): string {
  return `${root}/npm/-/npm/v1/attestations/${encoded(name)}@${segment(version)}`;
}

function segment(text: string): string {
  return encoded(text).replace(/^%40/, "@");
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Undefined when the text is not valid percent-encoding. */
function decodedPart(text: string): string | undefined {
  try {
    const once = decodeURIComponent(text);
    return /%(?:2f|40)/i.test(once) ? decodeURIComponent(once) : once;
  } catch {
    return undefined;
  }
}
