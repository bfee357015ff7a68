import { HIVE_SEGMENTS } from "./addresses.ts";
import type { DocumentKind, Hive } from "./document-key.ts";
import { documentKey } from "./document-key.ts";
import { isPackageId, lowerId } from "./notation/package-id.ts";
import { lowerVersion } from "./notation/package-version.ts";

const PATH_LENGTH_MAX = 1024;
const VERSIONS = /^\/v3\/package\/([^/]+)\/index\.json$/;
const REGISTRATION = /^\/v3\/(registration[a-z0-9-]*)\/([^/]+)\/(.+)\.json$/;
const PAGE = /^page\/([^/]+)\/([^/]+)$/;

/**
 * Which stored document a GET path asks for, in whatever casing and spelling of versions. Undefined
 * for all other paths, and for names that cannot exist.
 */
export function documentKindOf(path: string): DocumentKind | undefined {
  if (path.length > PATH_LENGTH_MAX) return undefined;
  const versions = VERSIONS.exec(path);
  if (versions?.[1] !== undefined) {
    return isPackageId(versions[1]) ? { type: "versions", id: lowerId(versions[1]) } : undefined;
  }
  const [, segment = "", id = "", rest = ""] = REGISTRATION.exec(path) ?? [];
  const hive = Object.hasOwn(HIVE_SEGMENTS, segment) ? HIVE_SEGMENTS[segment] : undefined;
  if (hive === undefined || !isPackageId(id)) return undefined;
  return registrationKind({ hive, id: lowerId(id) }, rest);
}

/**
 * The key under which a GET path's document may be kept, so that a host can answer the hottest
 * reads from the document store alone. `base` is the public address, when it is a cacheable one.
 */
export function storedDocumentKey(path: string, base: string): string | undefined {
  const kind = documentKindOf(path);
  return kind && documentKey(kind, base);
}

function registrationKind(
  of: { readonly hive: Hive; readonly id: string },
  rest: string,
): DocumentKind | undefined {
  if (rest.toLowerCase() === "index") return { type: "registration", ...of };
  const page = PAGE.exec(rest);
  if (!page) {
    const version = versionIn(rest);
    return version === undefined ? undefined : { type: "registration-leaf", ...of, version };
  }
  const [lower, upper] = [versionIn(page[1] ?? ""), versionIn(page[2] ?? "")];
  if (lower === undefined || upper === undefined) return undefined;
  return { type: "registration-page", ...of, lower, upper };
}

function versionIn(segment: string): string | undefined {
  try {
    return lowerVersion(decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}
