import { EXCHANGE_PATH } from "@sealhouse/npm-protocol";
import type { Hono } from "hono";
import { NPM_PATH } from "./http/public-address.ts";
import type { PublicAddress } from "./http/public-address.ts";

export type Apps = {
  readonly nuget: Hono;
  /** Undefined = switched off; its paths are then nobody's. */
  readonly npm: Hono | undefined;
  /** Answers everything at the host names that are npm's own. */
  readonly npmAtRoot: Hono | undefined;
  /** Answers everything at the host names of its segments, too. */
  readonly oci: Hono | undefined;
  /** Each has its own `/v2` and `/token` below its name. */
  readonly ociSegments: readonly string[];
  readonly operations: Hono;
  readonly console: Hono;
};

export type Route = {
  readonly app: Hono;
  /** Whether it speaks a package protocol, as opposed to pages and what operators ask for. */
  readonly isFeed: boolean;
};

export type RouteOf = (path: string, at: Pick<PublicAddress, "npmAtRoot" | "oci">) => Route;

/** The whole URL space, one line per part of it. An app of its own per protocol keeps routing
 * cheap; the first prefix that fits decides. */
export function createRoutes(apps: Apps): RouteOf {
  const table: readonly (readonly [prefix: string, app: Hono | undefined])[] = [
    ["/v3", apps.nuget],
    [NPM_PATH, apps.npm],
    // npm asks here, whatever the path of the registry is.
    [EXCHANGE_PATH.replace(/\/$/, ""), apps.npm],
    ["/v2", apps.oci],
    ["/token", apps.oci],
    ...apps.ociSegments.flatMap((name) => [
      [`/${name}/v2`, apps.oci] as const,
      [`/${name}/token`, apps.oci] as const,
    ]),
    ["/api/v2", apps.nuget],
    ["/symbols", apps.nuget],
    ["/api/download/symbols", apps.nuget],
    ["/health", apps.operations],
    ["/metrics", apps.operations],
  ];
  const mounted = table.flatMap(([prefix, app]) => (app ? [{ prefix, app }] : []));
  return (path, at) => {
    const app =
      (at.npmAtRoot ? apps.npmAtRoot : undefined) ??
      (at.oci ? apps.oci : undefined) ??
      mounted.find(({ prefix }) => isBelow(path, prefix))?.app ??
      apps.console;
    return { app, isFeed: app !== apps.console && app !== apps.operations };
  };
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}
