import { access, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extendedTest } from "../../src/testing/index.ts";
import { hasClient } from "./client.ts";
import type { DotnetFeed } from "./dotnet-feed.ts";
import { openDotnetFeed } from "./dotnet-feed.ts";

const NEWT = `<dependencies><group targetFramework="netstandard2.0">
  <dependency id="Acme.Newt" version="1.0.0" /></group></dependencies>`;
const TOOL_SETTINGS = `<DotNetCliTool Version="1"><Commands>
  <Command Name="acme-tool" EntryPoint="tool.dll" Runner="dotnet" /></Commands></DotNetCliTool>`;

/**
 * Commands that the other suites do not run: the table of commands in docs/nuget.md names this
 * file.
 */
describe.runIf(hasClient("dotnet"))("dotnet's further commands against the host", () => {
  const cleanUp = new AsyncDisposableStack();
  let feed: DotnetFeed;

  beforeAll(async () => {
    feed = cleanUp.use(await openDotnetFeed({ scheme: "http" }));
    await feed.put({ id: "Acme.Newt", version: "1.0.0" });
    await feed.put({ id: "Acme.Newt", version: "1.1.0" });
    await feed.put({ id: "Acme.Newt", version: "2.0.0-rc.1" });
    await feed.put({ id: "Acme.Pond", version: "3.0.0", metadata: NEWT });
  });
  afterAll(() => cleanUp.disposeAsync());

  const inFeed = (...args: readonly string[]) => feed.client.run(args);

  extendedTest(
    "package add, list, nuget why and package update follow what the feed has",
    async () => {
      const { client } = feed;
      const project = await client.consumer({ id: "Acme.Pond", version: "3.0.0" });
      const file = join(project, "consumer.csproj");
      const reference = ["package", "add", "Acme.Newt"];
      expect((await client.run([...reference, "--version", "1.0.0"], project)).code).toBe(0);
      const listed = await client.run(["package", "list", "--include-transitive"], project);
      expect(listed.output).toMatch(/Acme\.Newt\s+1\.0\.0\s+1\.0\.0/);
      const why = await client.run(["nuget", "why", file, "Acme.Newt"], project);
      expect(why.output).toMatch(/Acme\.Pond \(v3\.0\.0\)\s+│?\s+└── .*Acme\.Newt/);

      const updated = await client.run(["package", "update", "Acme.Newt"], project);
      expect(updated.output).toContain("Updating Acme.Newt 1.0.0 to 1.1.0.");
      expect((await client.run([...reference, "--prerelease"], project)).code).toBe(0);
      expect(await readFile(file, "utf8")).toContain('Include="Acme.Newt" Version="2.0.0-rc.1"');
    },
    240_000,
  );

  test("restore --locked-mode takes again what a lock file names", async () => {
    const { client } = feed;
    const project = await client.consumer({ id: "Acme.Pond", version: "3.0.0" });
    expect((await client.run(["restore", "--use-lock-file"], project)).code).toBe(0);
    await rm(join(client.folder, "packages"), { recursive: true });
    const again = await client.run(["restore", "--locked-mode", "--no-http-cache"], project);
    expect(again.output).not.toMatch(/NU1\d{3}/);
    expect(again.code).toBe(0);
  }, 240_000);

  test("package download takes the newest, without a project", async () => {
    const folder = join(feed.client.folder, "taken");
    const taken = await inFeed("package", "download", "Acme.Newt", "--output", folder);
    expect(taken.code).toBe(0);
    await access(join(folder, "acme.newt/1.1.0/acme.newt.1.1.0.nupkg"));
  }, 240_000);

  test("tool install, update and restore take tools", async () => {
    for (const version of ["1.0.0", "1.1.0"]) {
      await feed.put({
        id: "Acme.Tool",
        version,
        metadata: `<packageTypes><packageType name="DotnetTool" /></packageTypes>`,
        files: {
          "tools/net10.0/any/DotnetToolSettings.xml": TOOL_SETTINGS,
          "tools/net10.0/any/tool.dll": "nothing that runs",
        },
      });
    }
    await inFeed("new", "tool-manifest");
    const pinned = await inFeed("tool", "install", "Acme.Tool", "--version", "1.0.0");
    expect(pinned.output).toContain("(version '1.0.0') was successfully installed");
    const updated = await inFeed("tool", "update", "Acme.Tool");
    expect(updated.output).toContain("from version '1.0.0' to version '1.1.0'");
    expect((await inFeed("tool", "restore")).code).toBe(0);
  }, 240_000);

  test("new install takes templates, over http with --force", async () => {
    await feed.put({
      id: "Acme.Templates",
      version: "1.0.0",
      metadata: `<packageTypes><packageType name="Template" /></packageTypes>`,
      files: { "content/app/.template.config/template.json": TEMPLATE, "content/app/a.txt": "a" },
    });
    const install = ["new", "install", "Acme.Templates", "--nuget-source"];
    const source = `${feed.host.url}/v3/index.json`;
    expect((await inFeed(...install, source)).code).not.toBe(0);
    const forced = await inFeed(...install, source, "--force");
    expect(forced.output).toContain("Success: Acme.Templates@1.0.0 installed");
    const made = join(feed.client.folder, "made");
    expect((await inFeed("new", "acme-app", "--output", made)).code).toBe(0);
    await access(join(made, "a.txt"));
  }, 240_000);

  test("an MSBuild project takes its SDK from the feed", async () => {
    const imported = (name: string) =>
      `<Project><Import Project="Sdk.${name}" Sdk="Microsoft.NET.Sdk" /></Project>`;
    await feed.put({
      id: "Acme.Sdk",
      version: "1.0.0",
      metadata: `<packageTypes><packageType name="MSBuildSdk" /></packageTypes>`,
      files: { "Sdk/Sdk.props": imported("props"), "Sdk/Sdk.targets": imported("targets") },
    });
    const project = await feed.client.consumer({ id: "Acme.Newt", version: "1.0.0" });
    const file = join(project, "consumer.csproj");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("Microsoft.NET.Sdk", "Acme.Sdk/1.0.0"));
    const restored = await feed.client.run(["restore"], project);
    expect(restored.output).not.toMatch(/error/i);
    expect(restored.code).toBe(0);
  }, 240_000);
});

const TEMPLATE = JSON.stringify({
  $schema: "http://json.schemastore.org/template",
  author: "acme",
  classifications: ["Test"],
  identity: "Acme.App",
  name: "Acme App",
  shortName: "acme-app",
  tags: { language: "C#", type: "project" },
  sourceName: "app",
});
