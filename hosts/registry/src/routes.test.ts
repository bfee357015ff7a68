import { Hono } from "hono";
import { expect, test } from "vitest";
import { createRoutes } from "./routes.ts";
import { RESERVED_SEGMENTS } from "./settings/oci-segments.ts";

const apps = {
  nuget: new Hono(),
  npm: new Hono(),
  npmAtRoot: new Hono(),
  oci: new Hono(),
  ociSegments: ["acme"],
  operations: new Hono(),
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
  ["/v2/", SEGMENT, "oci"],
  ["/v3/index.json", SEGMENT, "oci"],
  ["/health", SEGMENT, "oci"],
  ["/", SEGMENT, "oci"],
  ["/v2/", { npmAtRoot: true }, "npmAtRoot"],
] as const)("%s by %j is answered by %s", (path, at, app) => {
  const isFeed = app !== "console";
  expect(routeOf(path, at)).toEqual({ app: apps[app], isFeed });
});

test.each(["v3", "npm", "v2", "token", "api", "symbols", "health", "metrics"])(
  "no segment takes the place of /%s",
  (name) => {
    expect(RESERVED_SEGMENTS).toContain(name);
  },
);
