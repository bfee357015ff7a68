import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openScriptedFeed } from "@sealhouse/upstream-sources/testing";
import type { ScriptedFeed } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest } from "../../src/testing/index.ts";
import { hasClient } from "../clients/client.ts";
import type { DotnetClient } from "../clients/dotnet-client.ts";
import type { DotnetFeed } from "../clients/dotnet-feed.ts";
import { openDotnetFeed } from "../clients/dotnet-feed.ts";
import { addSource } from "./add-source.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Rules apply after two seconds. */
const SOON = { timeout: 10_000, interval: 200 };
const OLD = ["1.0.0", "1.1.0"];

describe.skipIf(!hasClient("dotnet"))("versions that are refused, as dotnet sees them", () => {
  let upstream: ScriptedFeed;
  let feed: DotnetFeed;

  beforeAll(async () => {
    upstream = await openScriptedFeed(["content", "registration"]);
    feed = await openDotnetFeed({ scheme: "http", env: { Signing__Mode: "" } });
    const url = upstream.url.href;
    const settings = { minimumReleaseAgeMs: 7 * DAY_MS };
    await addSource(feed.host, { name: "slow", protocol: "nuget", url, settings });
    for (const id of ["Acme.Young", "Acme.Denied"]) {
      for (const version of [...OLD, "1.2.0"]) upstream.put(id, version, { entry: { id } });
    }
    const published = new Date(Date.now() - DAY_MS).toISOString();
    upstream.put("Acme.Young", "1.2.0", { published, entry: { id: "Acme.Young" } });
  }, 60_000);
  afterAll(async () => {
    await feed?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  async function restore(client: DotnetClient, id: string, version: string) {
    const project = await client.consumer({ id, version });
    const { code, output } = await client.run(["restore"], project);
    const assets = await readFile(join(project, "obj", "project.assets.json"), "utf8");
    return { code, output, restored: new RegExp(`"${id}/([^"]+)"`).exec(assets)?.[1] };
  }

  async function addRule(effect: "allow" | "deny", id: string): Promise<void> {
    const words = ["--protocol", "nuget", "--name", id, "--versions", "1.2.0"];
    const added = await feed.host.cli("policy", effect, ...words, "--reason", "It calls home.");
    expect(added.code, added.stderr).toBe(0);
    const shown = async () => {
      const list = await feed.host.fetch(`/v3/package/${id.toLowerCase()}/index.json`);
      return list.json();
    };
    const versions = effect === "allow" ? [...OLD, "1.2.0"] : OLD;
    await expect.poll(shown, SOON).toEqual({ versions });
  }

  test("a floating version restores the newest allowed version, and the held one is missing", async () => {
    const floating = await restore(feed.client, "Acme.Young", "1.*");
    expect(floating.output).not.toMatch(/NU\d{4}/);
    expect([floating.code, floating.restored]).toEqual([0, "1.1.0"]);
    const exact = await restore(feed.client, "Acme.Young", "1.2.0");
    expect(exact.code).not.toBe(0);
    expect(exact.output).toMatch(/NU1102.*Nearest version: 1\.1\.0/s);
    expect(upstream.requests.filter((path) => path.endsWith(".nupkg"))).toEqual([
      "/flat/acme.young/1.1.0/acme.young.1.1.0.nupkg",
    ]);
  });

  extendedTest("a client with an older list shows why the file is refused", async () => {
    expect((await restore(feed.client, "Acme.Denied", "1.1.0")).code).toBe(0);
    await addRule("deny", "Acme.Denied");
    const file = "/v3/package/acme.denied/1.2.0/acme.denied.1.2.0.nupkg";
    const refused = await feed.host.fetch(file);
    await refused.bytes();
    const text =
      "Acme.Denied 1.2.0 is denied on this registry: It calls home. Use another version, or ask " +
      "the administrators of this registry";
    expect(refused.status).toBe(404);
    expect(refused.statusText).toContain(text);
    expect(refused.headers.get("x-nuget-warning")).toContain(text);
    const { code, output } = await restore(feed.client, "Acme.Denied", "1.2.0");
    expect(code).not.toBe(0);
    expect(output).toContain(text);
  });

  test("a package of which every version is denied is missing, with the reason", async () => {
    const words = ["--protocol", "nuget", "--name", "Acme.Denied", "--reason", "It calls home."];
    const added = await feed.host.cli("policy", "deny", ...words);
    expect(added.code, added.stderr).toBe(0);
    const paths = ["package/acme.denied/index.json", "registration/acme.denied/index.json"];
    for (const path of paths) {
      const answer = async () => {
        const { status, headers } = await feed.host.fetch(`/v3/${path}`);
        return [status, headers.get("x-nuget-warning")];
      };
      const reason = expect.stringMatching(/is denied on this registry: It calls home\./);
      await expect.poll(answer, SOON).toEqual([404, reason]);
    }
  });

  extendedTest("an exception releases a held version", async () => {
    await addRule("allow", "Acme.Young");
    const client = await feed.anotherClient();
    const { code, output, restored } = await restore(client, "Acme.Young", "1.*");
    expect(output).not.toMatch(/NU\d{4}/);
    expect([code, restored]).toEqual([0, "1.2.0"]);
  });
});
