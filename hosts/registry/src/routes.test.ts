import { Hono } from "hono";
import { expect, test } from "vitest";
import { createRoutes, createSurfaceOf } from "./routes.ts";
import { RESERVED_SEGMENTS } from "./settings/reserved-segments.ts";

const apps = {
  nuget: new Hono(),
  npm: new Hono(),
  npmAtRoot: new Hono(),
  oci: new Hono(),
  ociSegments: ["acme"],
  operations: new Hono(),
  administration: new Hono(),
  console: new Hono(),
};
const routeOf = createRoutes(apps);
const MAIN = { npmAtRoot: false };
const SEGMENT = { npmAtRoot: false, oci: { segment: "acme", base: "https://acme.example" } };

test.each([
  ["/v2/", MAIN, "oci"],
  ["/v2/acme/app/tags/list", MAIN, "oci"],
  ["/acme/v2/app/tags/list", MAIN, "oci"],
  ["/acme/v2", MAIN, "oci"],
  ["/acme/token", MAIN, "oci"],
  ["/acme", MAIN, "console"],
  ["/acme/v3/index.json", MAIN, "console"],
  ["/other/v2/", MAIN, "console"],
  ["/v3/index.json", MAIN, "nuget"],
  ["/shield/acme.json", MAIN, "nuget"],
  ["/@2026-10-01T12:00Z/v3/index.json", MAIN, "nuget"],
  ["/@2026-10-01T12:00Z/api/v2/package", MAIN, "nuget"],
  ["/%402026-10-01T12%3A00Z/npm/demo", MAIN, "npm"],
  ["/@2026-10-01T12:00Z/health", MAIN, "console"],
  ["/@2026-10-01T12:00Z/demo", { npmAtRoot: true }, "npmAtRoot"],
  ["/v2/", SEGMENT, "oci"],
  ["/v3/index.json", SEGMENT, "oci"],
  ["/health", SEGMENT, "oci"],
  ["/", SEGMENT, "oci"],
  ["/v2/", { npmAtRoot: true }, "npmAtRoot"],
  ["/.well-known/other", MAIN, "console"],
] as const)("answers %s by %j with %s", (path, host, app) => {
  const isFeed = app !== "console";
  expect(routeOf(path, host)).toEqual({ app: apps[app], isFeed });
});

test.each([
  ["/npm", "text/html", "console"],
  ["/npm/feed", "text/html,*/*", "console"],
  ["/npm/packages/left-pad", "text/html", "console"],
  ["/npm/feed", "application/vnd.npm.install-v1+json; q=1.0, */*", "npm"],
  ["/npm/feed", null, "npm"],
  ["/npm/left-pad", "text/html", "npm"],
] as const)("answers %s for %s with %s", (path, accept, app) => {
  expect(routeOf(path, MAIN, accept).app).toBe(apps[app]);
});

test.each(["v3", "shield", "npm", "v2", "token", "api", "symbols", "health", "metrics"])(
  "no segment takes the place of /%s",
  (name) => {
    expect(RESERVED_SEGMENTS).toContain(name);
  },
);

const surfaceOf = createSurfaceOf({
  npm: ["npm.example"],
  segments: [{ name: "acme", hostNames: ["acme.example"] }],
  ociSegments: ["acme"],
});

test.each([
  ["packages.example", "/v3/index.json", "nuget"],
  ["packages.example", "/api/v2/package", "nuget"],
  ["packages.example", "/npm/left-pad?write=true", "npm"],
  ["packages.example", "/@2026-10-01T12:00Z/npm/left-pad?a=b", "npm"],
  ["packages.example", "/@2026-10-01T12:00Z/v2/", "console"],
  ["packages.example", "/v2?n=1", "oci"],
  ["packages.example", "/acme/v2/app/tags/list", "oci"],
  ["packages.example", "/health/live", "operations"],
  ["packages.example", "/metrics?x=1", "operations"],
  ["packages.example", "/metricsx", "console"],
  ["packages.example", "/", "console"],
  ["NPM.example:8443", "/left-pad", "npm"],
  ["acme.example", "/v2/", "oci"],
])("a request for %s%s counts as %s", (host, url, surface) => {
  expect(surfaceOf({ url, headers: { host } })).toBe(surface);
});
