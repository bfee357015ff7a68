import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { startHost } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import { hasClient, openFolder } from "./client.ts";
import type { DotnetClient } from "./dotnet-client.ts";
import { createDotnetClient } from "./dotnet-client.ts";

describe.skipIf(!hasClient("dotnet"))("dotnet against the host, over http", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let client: DotnetClient;
  let token: string;

  beforeAll(async () => {
    host = cleanUp.use(await startHost());
    const folder = cleanUp.use(await openFolder()).path;
    token = await host.makeToken({ scopes: "read,write,delete" });
    client = await createDotnetClient({ folder, source: `${host.url}/v3/index.json` });
  });
  afterAll(() => cleanUp.disposeAsync());

  async function nupkg(id: string, version: string): Promise<string> {
    const path = join(client.folder, `${id}.${version}.nupkg`);
    const files = { [`lib/net8.0/_._`]: "", "docs/about.txt": `${id} ${version}\n` };
    await writeFile(path, buildNupkg({ id, version, files }));
    return path;
  }

  function push(path: string, ...more: readonly string[]): Promise<Ran> {
    const to = ["--source", "sealhouse", "--api-key", token];
    return client.run(["nuget", "push", path, ...to, ...more]);
  }

  test("pushes; a duplicate is a conflict, which --skip-duplicate forgives", async () => {
    const path = await nupkg("Acme.Pushed", "1.0.0");
    const first = await push(path);
    expect(first.output).toContain("Your package was pushed.");
    expect(first.code).toBe(0);

    const second = await push(path);
    expect(second.output).toContain("409");
    expect(second.code).toBe(1);
    expect((await push(path, "--skip-duplicate")).code).toBe(0);
  });

  test("restores and builds against what was pushed", async () => {
    await push(await nupkg("Acme.Restored", "1.2.3-beta.1"));
    const project = await client.consumer({ id: "Acme.Restored", version: "1.2.3-beta.1" });
    const built = await client.run(["build", "--nologo"], project);
    expect(built.output).toContain("Build succeeded");
    await access(join(client.folder, "packages/acme.restored/1.2.3-beta.1/docs/about.txt"));
  });

  test("shows the reason when a package or a key is refused", async () => {
    const path = join(client.folder, "Broken.1.0.0.nupkg");
    await writeFile(path, "this is no archive");
    const broken = await push(path);
    expect(broken.code).toBe(1);

    const good = await nupkg("Acme.Refused", "1.0.0");
    const refused = await client.run([
      "nuget",
      "push",
      good,
      "--source",
      "sealhouse",
      "--api-key",
      "shp_wrong",
    ]);
    expect(refused.output).toContain("403");
    expect(refused.code).toBe(1);
  });

  test("finds packages, and no longer those that were deleted, which still restore", async () => {
    await push(await nupkg("Acme.Findable", "2.0.0"));
    const search = () =>
      client.run(["package", "search", "findable", "--source", "sealhouse", "--format", "json"]);
    expect((await search()).output).toContain("Acme.Findable");

    const deleted = await client.run([
      "nuget",
      "delete",
      "Acme.Findable",
      "2.0.0",
      "--non-interactive",
      "--source",
      "sealhouse",
      "--api-key",
      token,
    ]);
    expect(deleted.output).toContain("was deleted successfully");
    expect((await search()).output).not.toContain("Acme.Findable");

    const project = await client.consumer({ id: "Acme.Findable", version: "2.0.0" });
    expect((await client.run(["restore"], project)).code).toBe(0);
  });

  test("is refused without allowInsecureConnections, which is the client's own rule", async () => {
    const project = await client.consumer({ id: "Acme.Pushed", version: "1.0.0" });
    await writeFile(
      join(project, "nuget.config"),
      `<configuration><packageSources><clear /><add key="plain" value="${host.url}/v3/index.json" /></packageSources></configuration>`,
    );
    const restored = await client.run(["restore"], project);
    expect(restored.output).toContain("NU1302");
  });
});
