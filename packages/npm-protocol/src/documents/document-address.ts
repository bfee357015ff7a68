import type { PackageName } from "../package-name.ts";
import { parseDistTag } from "../dist-tag.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { RequestPath } from "../request-path.ts";
import { parseRequestPath, rawPathOf } from "../request-path.ts";
import { ABBREVIATED_TYPE, FULL_TYPE, wantsAbbreviated } from "./accept.ts";

/** Kind and key of a stored document of a package. */
export type DocumentAddress = {
  readonly name: PackageName;
  readonly form: "full" | "abbreviated" | "tags" | "version";
  /** The version or tag that was asked for, where `form` is `version`. */
  readonly specifier?: string;
  readonly key: string;
  /** Documents that a change makes stale together: all documents of one package. */
  readonly group: string;
  readonly contentType: string;
};

/**
 * Which kept document answers a `GET`, if one can: a pure function, so that a host may look into
 * the document store before it routes (after checking that the caller may read `name`). Undefined
 * for everything else, also for what tools ask before they change something (`?write=true`, the
 * dist-tags), which the app answers with other headers.
 *
 * `url` is the whole address or at least its path, still percent-encoded, below `basePath`; `base`
 * the registry's address as the client reached it.
 */
export function documentOfRequest(
  url: string,
  accept: string | undefined,
  registry: { readonly basePath: string; readonly base: string },
): DocumentAddress | undefined {
  if (isWriteRead(url)) return undefined;
  const rawPath = rawPathOf(url, registry.basePath);
  const path = parseRequestPath(rawPath ?? "/");
  return path.type === "package" ? documentOfPath(path, accept, registry.base) : undefined;
}

export function documentOfPath(
  path: RequestPath,
  accept: string | undefined,
  base: string,
): DocumentAddress | undefined {
  if (path.type === "endpoint") {
    const [kind, , what, ...more] = path.segments;
    if (!path.name || kind !== "package" || what !== "dist-tags" || more.length > 0)
      return undefined;
    return addressOf(path.name, "tags", base);
  }
  if (path.type !== "package" || path.rest.length > 1) return undefined;
  const [versionOrTag] = path.rest;
  if (versionOrTag !== undefined) {
    const normal = parsePackageVersion(versionOrTag) ?? parseDistTag(versionOrTag);
    return normal && { ...addressOf(path.name, "version", base, normal), specifier: normal };
  }
  return addressOf(path.name, wantsAbbreviated(accept) ? "abbreviated" : "full", base);
}

/** npm's own tools ask this way for what they are about to change. */
export function isWriteRead(url: string): boolean {
  const query = url.indexOf("?");
  return query !== -1 && new URLSearchParams(url.slice(query)).get("write") === "true";
}

export function groupOf(name: string): string {
  return `npm/${name}`;
}

function addressOf(
  name: PackageName,
  form: DocumentAddress["form"],
  base: string,
  versionOrTag = "",
): DocumentAddress {
  // A name holds no blank, so no two documents can meet under one key.
  const key = `npm/${form} ${name} ${versionOrTag} ${base}`;
  const contentType = form === "abbreviated" ? ABBREVIATED_TYPE : FULL_TYPE;
  return { name, form, key, group: groupOf(name), contentType };
}
