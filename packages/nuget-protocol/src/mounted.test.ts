import { Hono } from "hono";
import { expect, test } from "vitest";
import { createNuGetApp } from "./app.ts";
import { buildNupkg } from "./testing/build-nupkg.ts";
import { createMemoryNuGetPorts } from "./testing/memory-ports.ts";

const ID = "acme.widgets";

async function openFeed(path: string) {
  const { ports } = createMemoryNuGetPorts({
    address: () => ({ base: `https://feed.example${path}`, cacheable: true }),
  });
  const app = new Hono();
  app.route(path === "" ? "/" : path, createNuGetApp(ports));
  for (const version of ["1.0.0", "2.0.0-rc.1"]) {
    const body = buildNupkg({ id: "Acme.Widgets", version });
    const pushed = await app.request(`${path}/api/v2/package`, { method: "PUT", body });
    expect(pushed.status).toBe(201);
  }
  return app;
}

const PATHS = [
  "/v3/index.json",
  `/v3/package/${ID}/index.json`,
  `/v3/package/${ID}/1.0.0/${ID}.1.0.0.nupkg`,
  `/v3/package/${ID}/1.0.0/${ID}.nuspec`,
  `/v3/package/${ID}/1.0.0/provenance.json`,
  `/v3/registration/${ID}/index.json`,
  `/v3/registration-gz-semver2/${ID}/index.json`,
  `/v3/registration-gz-semver2/${ID}/2.0.0-RC.1.json`,
  `/v3/registration-gz-semver2/${ID}/page/1.0.0/2.0.0-rc.1.json`,
  "/v3/search?q=acme&prerelease=true&semVerLevel=2.0.0",
  "/v3/autocomplete?q=ac",
  `/v3/autocomplete?id=${ID}`,
  "/v3/catalog/index.json",
  `/shield/${ID}`,
  "/v3/package/absent/index.json",
];

test.each(["/nuget", "/feeds/nuget", "/v3"])(
  "a feed mounted at %s answers all paths",
  async (mountPath) => {
    const [root, mounted] = [await openFeed(""), await openFeed(mountPath)];
    const atRoot = (text: string) =>
      text.replaceAll(`https://feed.example${mountPath}/`, "https://feed.example/");
    for (const path of PATHS) {
      const expected = await root.request(path);
      const answer = await mounted.request(`${mountPath}${path}`);
      expect([path, answer.status]).toEqual([path, expected.status]);
      const [text, expectedText] = [await answer.text(), await expected.text()];
      expect(atRoot(text).replace(TIMES, "TIME")).toBe(expectedText.replace(TIMES, "TIME"));
    }
  },
);

const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

test("one app serves a feed at each value of a path parameter", async () => {
  const { ports } = createMemoryNuGetPorts({
    address: (request) => {
      const { origin, pathname } = new URL(request.url);
      return { base: origin + pathname.split("/").slice(0, 3).join("/"), cacheable: false };
    },
  });
  const app = new Hono();
  app.route("/teams/:team", createNuGetApp(ports));
  const body = buildNupkg({ id: "Acme.Widgets", version: "1.0.0" });
  await app.request("/teams/red/api/v2/package", { method: "PUT", body });
  const answer = await app.request(`http://localhost/teams/blue/v3/registration/${ID}/index.json`);
  expect(await answer.json()).toMatchObject({
    "@id": `http://localhost/teams/blue/v3/registration/${ID}/index.json`,
  });
});
