import { openScriptedFeed } from "@sealhouse/upstream-sources/testing";
import type { ScriptedFeed } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { startHost } from "../../src/testing/index.ts";
import { addSources } from "./add-source.ts";

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let nuget: ScriptedFeed;
let foreign: ScriptedFeed;

beforeAll(async () => {
  nuget = cleanUp.use(await openScriptedFeed());
  foreign = cleanUp.use(await openScriptedFeed());
  const env = { Signing__Mode: "" };
  host = cleanUp.use(await startHost({ env }));
  const settings = { revalidateAfterMs: 300, negativeForMs: 100 };
  await addSources(host, [
    {
      name: "nuget",
      protocol: "nuget",
      url: nuget.url.href,
      settings: { ...settings, deny: ["Away"] },
    },
    {
      name: "foreign",
      protocol: "nuget",
      url: foreign.url.href,
      settings: { ...settings, allow: ["Away"] },
    },
  ]);
});
afterAll(() => cleanUp.disposeAsync());

test("answers 503 to a registration of another package, and 404 to private resources", async () => {
  nuget.put("Acme.Mine", "1.0.0", { entry: { id: "Acme.Other" } });
  foreign.put("Away", "1.0.0");
  foreign.resourcesAt = nuget.origin;
  nuget.put("Away", "1.0.0");
  const before = nuget.requests.length;
  for (const [path, status] of [
    ["acme.mine", 503],
    ["away", 404],
  ]) {
    const response = await host.fetch(`/v3/registration-gz-semver2/${path}/index.json`);
    expect([path, response.status]).toEqual([path, status]);
  }
  const away = await host.fetch("/v3/package/away/index.json");
  expect(away.status).toBe(404);
  expect(away.headers.get("x-nuget-warning")).toContain("address that this registry must not call");
  expect(nuget.requests.slice(before).filter((path) => path.includes("away"))).toEqual([]);
});
