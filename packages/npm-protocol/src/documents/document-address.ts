import type { PackageName } from "../package-name.ts";
import { parseDistTag } from "../dist-tag.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { RequestPath } from "../request-path.ts";
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
