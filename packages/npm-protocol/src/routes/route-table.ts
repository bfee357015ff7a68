import type { RequestPath } from "../request-path.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A path pattern with its methods. */
export type NpmRoute = {
  /** `{x}` matches one segment or its end, `{*}` matches any number of segments. */
  readonly path: string;
  /** `GET` includes `HEAD`. */
  readonly methods: readonly Method[];
};

const READ = ["GET"] as const;
const POST = ["POST"] as const;

/**
 * Every address of the registry below its base path, with the methods that it takes. The app asks
 * this table first: what is not in it cannot be reached. The first path that fits decides.
 */
export const NPM_ROUTES: readonly NpmRoute[] = [
  { path: "/", methods: READ },
  { path: "/-/ping", methods: READ },
  { path: "/-/whoami", methods: READ },
  { path: "/-/_view/starredByUser", methods: READ },
  { path: "/-/v1/search", methods: READ },
  { path: "/-/v1/login", methods: POST },
  { path: "/-/v1/done", methods: READ },
  { path: "/-/npm/v1/keys", methods: READ },
  { path: "/-/npm/v1/user", methods: ["GET", "POST"] },
  { path: "/-/npm/v1/tokens", methods: ["GET", "POST"] },
  { path: "/-/npm/v1/tokens/token/{key}", methods: ["DELETE"] },
  { path: "/-/npm/v1/attestations/{*}", methods: READ },
  { path: "/-/npm/v1/security/advisories/bulk", methods: POST },
  { path: "/-/npm/v1/security/audits", methods: POST },
  { path: "/-/npm/v1/security/audits/quick", methods: POST },
  { path: "/-/pnpm/v1/publish", methods: ["PUT"] },
  { path: "/-/pnpr/v0/publish", methods: ["PUT"] },
  { path: "/-/npm/v1/oidc/token/exchange/package/{*}", methods: POST },
  { path: "/-/user/token/{token}", methods: ["DELETE"] },
  { path: "/-/user/org.couchdb.user:{name}", methods: ["GET", "PUT"] },
  { path: "/-/user/org.couchdb.user:{name}/-rev/{*}", methods: ["GET", "PUT"] },
  { path: "/-/user/{name}/package", methods: READ },
  { path: "/-/org/{*}", methods: ["GET", "POST", "PUT", "DELETE"] },
  { path: "/-/team/{*}", methods: ["GET", "POST", "PUT", "DELETE"] },
  { path: "/-/stage", methods: READ },
  { path: "/-/stage/package/{package}", methods: POST },
  { path: "/-/stage/{id}", methods: ["GET", "DELETE"] },
  { path: "/-/stage/{id}/approve", methods: POST },
  { path: "/-/stage/{id}/{*}", methods: READ },
  { path: "/-/package/{package}/access", methods: ["GET", "POST"] },
  { path: "/-/package/{package}/collaborators", methods: READ },
  { path: "/-/package/{package}/visibility", methods: READ },
  { path: "/-/package/{package}/dist-tags", methods: READ },
  { path: "/-/package/{package}/dist-tags/{tag}", methods: ["PUT", "POST", "DELETE"] },
  { path: "/-/package/{package}/trust", methods: ["GET", "POST"] },
  { path: "/-/package/{package}/trust/{id}", methods: ["DELETE"] },
  { path: "/{package}", methods: ["GET", "PUT", "DELETE"] },
  { path: "/{package}/-rev/{revision}", methods: ["GET", "PUT", "DELETE"] },
  { path: "/{package}/{*}", methods: ["GET", "DELETE"] },
];

/** Placeholder of a package name; the segments of an endpoint use the same one. */
const PACKAGE = "{name}";

const TABLE = NPM_ROUTES.map((route) => ({ route, pattern: segmentsOf(route.path) }));

/** Undefined where the registry has no such address. */
export function routeOf(path: RequestPath): NpmRoute | undefined {
  const segments = segmentsIn(path);
  return segments && TABLE.find(({ pattern }) => fits(pattern, segments))?.route;
}

function segmentsIn(path: RequestPath): readonly string[] | undefined {
  switch (path.type) {
    case "root":
      return [];
    case "package":
      return [PACKAGE, ...path.rest];
    case "endpoint":
      return ["-", ...path.segments];
    case "invalid":
      return undefined;
  }
}

function segmentsOf(path: string): readonly string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === "{*}";
  const parts = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? segments.length < parts.length : segments.length !== parts.length) return false;
  return parts.every((part, index) => {
    const segment = segments[index] ?? "";
    if (part === "{package}") return segment === PACKAGE;
    const start = part.indexOf("{");
    return start === -1 ? segment === part : segment.startsWith(part.slice(0, start));
  });
}
