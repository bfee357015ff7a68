import type { IncomingMessage } from "node:http";
import { EXCHANGE_PATH } from "@sealhouse/npm-protocol";
import { pathBelowView } from "@sealhouse/http-responses";
import type { Hono } from "hono";
import { NPM_PATH } from "@sealhouse/http-server";
import type { Route, OwnedHostNames, HostAddress } from "@sealhouse/http-server";
import { SECURITY_TXT_PATH } from "./http/security-contact.ts";
import type { RequestSurface } from "./operations/metrics.ts";

/** The apps of protocols. Where one is absent, its paths are unknown. */
export type ProtocolApps = {
  readonly nuget?: Hono | undefined;
  readonly npm?: Hono | undefined;
  /** Answers everything at the host names that are npm's own. */
  readonly npmAtRoot?: Hono | undefined;
  /** Answers everything at the host names of its segments, too. */
  readonly oci?: Hono | undefined;
};

export type Apps = ProtocolApps & {
  /** Each has its own `/v2` and `/token` below its name. */
  readonly ociSegments: readonly string[];
  readonly operations: Hono;
  readonly administration: Hono;
  readonly console: Hono;
};

type RouteOf = (
  path: string,
  hostAddress: Pick<HostAddress, "npmAtRoot" | "oci">,
  accept?: string | null,
) => Route & { readonly app: Hono };

/** Pages that older hosts had where npm clients ask; no such client asks for HTML. */
const OLDER_NPM_PAGE = /^\/npm(?:\/?$|\/feed\/?$|\/packages\/)/;

/** Whether a browser asks for one of them. */
export function isOlderNpmPage(path: string, accept: string | null | undefined): boolean {
  return OLDER_NPM_PAGE.test(path) && accept?.includes("text/html") === true;
}

/** The whole URL space, one line per part of it; the first prefix that fits decides. What none
 * fits is the console's. */
function prefixesOf(
  ociSegments: readonly string[],
): readonly (readonly [prefix: string, surface: Exclude<RequestSurface, "console">])[] {
  return [
    ["/v3", "nuget"],
    [NPM_PATH, "npm"],
    // npm asks here, whatever the path of the registry is.
    [EXCHANGE_PATH.replace(/\/$/, ""), "npm"],
    ["/v2", "oci"],
    ["/token", "oci"],
    ...ociSegments.flatMap((name) => [
      [`/${name}/v2`, "oci"] as const,
      [`/${name}/token`, "oci"] as const,
    ]),
    ["/api/v1", "operations"],
    ["/api/admin", "administration"],
    ["/api/v2", "nuget"],
    ["/shield", "nuget"],
    ["/symbols", "nuget"],
    ["/api/download/symbols", "nuget"],
    ["/health", "operations"],
    ["/metrics", "operations"],
    [SECURITY_TXT_PATH, "operations"],
  ];
}

/** A separate app for each protocol keeps routing cheap. */
export function createRoutes(apps: Apps): RouteOf {
  const mounted = prefixesOf(apps.ociSegments).flatMap(([prefix, surface]) => {
    const app = apps[surface];
    return app ? [{ prefix, surface, app }] : [];
  });
  return (path, host, accept) => {
    const isOlderPage = isOlderNpmPage(path, accept);
    const app =
      (host.npmAtRoot ? apps.npmAtRoot : undefined) ??
      (host.oci ? apps.oci : undefined) ??
      (isOlderPage ? apps.console : undefined) ??
      findBelow(mounted, path)?.app ??
      apps.console;
    const isFeed = app !== apps.console && app !== apps.operations && app !== apps.administration;
    return { app, isFeed };
  };
}

/**
 * The app of a request, for the metrics: by the host name when it belongs to one protocol,
 * otherwise by the path.
 */
export function createSurfaceOf(
  owned: OwnedHostNames & { readonly ociSegments: readonly string[] },
) {
  const byHost = new Map<string, RequestSurface>([
    ...(owned.npm ?? []).map((name) => [name, "npm"] as const),
    ...(owned.segments ?? []).flatMap(({ hostNames }) =>
      hostNames.map((name) => [name, "oci"] as const),
    ),
  ]);
  const prefixes = prefixesOf(owned.ociSegments).map(([prefix, surface]) => ({ prefix, surface }));
  return ({ url = "", headers }: Pick<IncomingMessage, "url" | "headers">): RequestSurface => {
    const host = byHost.size === 0 ? "" : (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
    return byHost.get(host) ?? findBelow(prefixes, url)?.surface ?? "console";
  };
}

/** The time of a view comes before the path of NuGet or npm: `/@2026-10-01T12:00Z/npm/demo`. */
function findBelow<T extends { readonly prefix: string; readonly surface: RequestSurface }>(
  prefixes: readonly T[],
  path: string,
): T | undefined {
  const rest = pathBelowView(path);
  if (rest === undefined) return prefixes.find(({ prefix }) => isBelow(path, prefix));
  return prefixes.find(({ prefix, surface }) => VIEWED.has(surface) && isBelow(rest, prefix));
}

/** Image clients cannot put a path before `/v2`; the time is in the name of the repository. */
const VIEWED: ReadonlySet<RequestSurface> = new Set(["nuget", "npm"]);

function isBelow(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  const next = path[prefix.length];
  return next === undefined || next === "/" || next === "?";
}
