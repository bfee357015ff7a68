import { rawPathOf } from "@sealhouse/http-responses";
import type { PackageName } from "./package-name.ts";
import { parseOldPackageName } from "./package-name.ts";

/**
 * Parsed path of a request. `rest` holds the decoded segments after the name: `["-", "a.tgz"]`.
 * `endpoint` is everything below `/-/`. When it contains a package (`/-/package/{name}/…`,
 * `/-/stage/package/{name}`), the name is in `name` and is one segment `{name}` in `segments`.
 */
export type RequestPath =
  | { readonly type: "root" }
  | { readonly type: "package"; readonly name: PackageName; readonly rest: readonly string[] }
  | {
      readonly type: "endpoint";
      readonly segments: readonly string[];
      readonly name?: PackageName;
    }
  | { readonly type: "invalid"; readonly reason: string };

const LENGTH_MAX = 2048;

/**
 * Reads the raw path, still percent-encoded, without the registry's own prefix. One empty segment
 * before it is ignored (`//demo`). Names come as
 * `@s%2fn`, `@s%2Fn`, `@s/n`, `%40s%2fn` or, behind some proxies, `@s%252fn`. The name is taken
 * first and the rest second, so that no rest can be mistaken for a name.
 */
export function parseRequestPath(rawPath: string): RequestPath {
  if (rawPath.length > LENGTH_MAX) return invalid(`the path is longer than ${LENGTH_MAX} bytes`);
  const raw = rawPath.split("/").slice(1);
  // Clients that join an address with a final slash write two.
  if (raw[0] === "" && raw.length > 1) raw.shift();
  if (raw.at(-1) === "") raw.pop();
  const [first] = raw;
  if (first === undefined) return { type: "root" };
  if (first === "-") return endpointOf(raw.slice(1));
  const taken = readName(raw);
  if (!taken) return invalid(`${shown(raw.join("/"))} does not start with a package name`);
  const rest = decodeAll(raw.slice(taken.used));
  return rest ? { type: "package", name: taken.name, rest } : invalid("bad percent-encoding");
}

/**
 * The path of a URL (or of a path with a query), unchanged from the request line, without the
 * prefix of the registry; undefined when the URL is not below that prefix.
 */
export function rawPathBelow(url: string, basePath: string): string | undefined {
  const path = rawPathOf(url);
  if (basePath === "") return path;
  if (path === basePath) return "/";
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}

function endpointOf(raw: readonly string[]): RequestPath {
  if (raw[0] === "stage" && raw[1] === "package") return stagingOf(raw.slice(2));
  if (raw[0] !== "package") {
    const segments = decodeAll(raw);
    return segments ? { type: "endpoint", segments } : invalid("bad percent-encoding");
  }
  const taken = readName(raw.slice(1));
  if (!taken) return invalid(`/-/package/${shown(raw.slice(1).join("/"))} names no package`);
  const rest = decodeAll(raw.slice(1 + taken.used));
  if (!rest) return invalid("bad percent-encoding");
  return { type: "endpoint", segments: ["package", "{name}", ...rest], name: taken.name };
}

/** `/-/stage/package/{name}`, the only address below `/-/stage` that names a package. */
function stagingOf(raw: readonly string[]): RequestPath {
  const taken = readName(raw);
  if (!taken || taken.used < raw.length) {
    return invalid(`/-/stage/package/${shown(raw.join("/"))} names no package`);
  }
  return { type: "endpoint", segments: ["stage", "package", "{name}"], name: taken.name };
}

function readName(raw: readonly string[]): { name: PackageName; used: number } | undefined {
  const first = decode(raw[0] ?? "");
  if (first === undefined) return undefined;
  // Some proxies encode the encoded slash once more; a real name never holds a percent sign.
  const whole = /%2f/i.test(first) ? decode(first) : first;
  if (whole === undefined) return undefined;
  if (!whole.startsWith("@") || whole.includes("/")) return parseName(whole, 1);
  const second = decode(raw[1] ?? "");
  return second === undefined ? undefined : parseName(`${whole}/${second}`, 2);
}

function parseName(text: string, used: number): { name: PackageName; used: number } | undefined {
  const name = parseOldPackageName(text);
  return name && { name, used };
}

function decodeAll(raw: readonly string[]): readonly string[] | undefined {
  const decoded = raw.map(decode);
  return decoded.every((segment) => segment !== undefined) ? decoded : undefined;
}

function decode(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function invalid(reason: string): RequestPath {
  return { type: "invalid", reason };
}

/** Cut, and without control characters, for an error text. */
function shown(path: string): string {
  return JSON.stringify(path.slice(0, 80)).slice(1, -1);
}
