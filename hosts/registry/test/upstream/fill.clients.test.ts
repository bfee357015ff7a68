import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { openScriptedFeed } from "@sealhouse/upstream-sources/testing";
import type { ScriptedFeed } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasClient } from "../clients/client.ts";
import type { DotnetFeed } from "../clients/dotnet-feed.ts";
import { openDotnetFeed } from "../clients/dotnet-feed.ts";
import { addSource } from "./add-source.ts";

describe.skipIf(!hasClient("dotnet"))("a mirror that was filled from packages.lock.json", () => {
  let upstream: ScriptedFeed;
  let feed: DotnetFeed;

  beforeAll(async () => {
    upstream = await openScriptedFeed(["content", "registration"]);
    feed = await openDotnetFeed({ scheme: "http", env: { Signing__Mode: "" } });
    await addSource(feed.host, { name: "upstream", protocol: "nuget", url: upstream.url.href });
    const metadata = "<dependencies><dependency id='Acme.Leaf' version='1.0.0'/></dependencies>";
    const bytes = buildNupkg({ id: "Acme.Root", version: "1.2.0", metadata });
    upstream.put("Acme.Root", "1.2.0", { bytes });
    upstream.put("Acme.Leaf", "1.0.0");
  }, 60_000);
  afterAll(async () => {
    await feed?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  test("dotnet restores from it without the source", async () => {
    const packages = {
      "Acme.Root": { type: "Direct", resolved: "1.2.0" },
      "Acme.Leaf": { type: "Transitive", resolved: "1.0.0" },
    };
    const lock = join(feed.host.folder, "packages.lock.json");
    await writeFile(lock, JSON.stringify({ version: 1, dependencies: { "net10.0": packages } }));
    const filled = await feed.host.cli("mirror", "--from", lock);
    expect(filled).toMatchObject({ code: 0, stdout: expect.stringContaining("2 fetched") });
    await upstream[Symbol.asyncDispose]();

    const project = await feed.client.consumer({ id: "Acme.Root", version: "1.2.0" });
    const restored = await feed.client.run(["restore"], project);
    expect(restored.output).not.toMatch(/NU\d{4}/);
    expect(restored.code).toBe(0);
  });
});
