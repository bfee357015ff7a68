import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "./client.ts";
import type { DotnetFeed } from "./dotnet-feed.ts";
import { openDotnetFeed } from "./dotnet-feed.ts";
import { findPaket } from "./paket-client.ts";
import { findPowerShell } from "./powershell-client.ts";

const paket = (await findPaket()) ?? "";
const powerShell = (await findPowerShell()) ?? "";

const NEEDS = `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>Acme.Needs</id>
    <version>2.0.0</version>
    <authors>Acme</authors>
    <description>Needs another package.</description>
    <dependencies>
      <group targetFramework="netstandard2.0">
        <dependency id="Acme.Base" version="1.0.0" />
      </group>
    </dependencies>
  </metadata>
</package>`;

const cleanUp = new AsyncDisposableStack();
let feed: DotnetFeed;

beforeAll(async () => {
  if (paket === "" && powerShell === "") return;
  feed = cleanUp.use(await openDotnetFeed({ scheme: "http" }));
});
afterAll(() => cleanUp.disposeAsync());

describe.skipIf(paket === "")("Paket", () => {
  const runPaket = (args: readonly string[], cwd: string) =>
    run(paket, args, {
      cwd,
      env: {
        HOME: join(feed.client.folder, "home"),
        DOTNET_CLI_HOME: join(feed.client.folder, "home"),
        NUGET_PACKAGES: join(feed.client.folder, "paket-packages"),
      },
    });
  const push = (path: string, token = feed.token) =>
    runPaket(["push", path, "--url", feed.host.url, "--api-key", token], feed.client.folder);

  test("pushes a package; the same again is a conflict, which --ignoreConflicts forgives", async () => {
    const path = await feed.nupkg({ id: "Acme.Paket", version: "1.0.0" });
    const pushed = await push(path);
    expect(pushed.output).toMatch(/Pushing .*Acme\.Paket\.1\.0\.0\.nupkg complete/);
    expect(pushed.code).toBe(0);
    const versions = await feed.host.fetch("/v3/package/acme.paket/index.json");
    expect(await versions.json()).toEqual({ versions: ["1.0.0"] });

    const again = await push(path);
    expect(again.output).toContain("409");
    expect(again.code).not.toBe(0);
    const forgiving = ["push", path, "--url", feed.host.url, "--api-key", feed.token];
    const forgiven = await runPaket([...forgiving, "--ignoreConflicts"], feed.client.folder);
    expect(forgiven.code).toBe(0);
  });

  test("fails with a token that may not push", async () => {
    const path = await feed.nupkg({ id: "Acme.Refused", version: "1.0.0" });
    const refused = await push(path, "shp_wrong");
    expect(refused.output).toContain("403");
    expect(refused.code).not.toBe(0);
  });

  test("resolves and installs a package with its dependency, and restores by the lock file", async () => {
    await feed.put({ id: "Acme.Base", version: "1.1.0" });
    await feed.put({ id: "Acme.Needs", version: "2.0.0", nuspec: NEEDS });
    const project = join(feed.client.folder, "paket-project");
    await mkdir(project);
    await writeFile(
      join(project, "paket.dependencies"),
      `source ${feed.host.url}/v3/index.json\nstorage: packages\nframework: netstandard2.0\n` +
        "nuget Acme.Needs\n",
    );
    const installed = await runPaket(["install"], project);
    expect(installed.output).not.toMatch(/failed|error/i);
    expect(installed.code).toBe(0);
    await access(join(project, "packages", "Acme.Needs", "docs", "about.txt"));
    await access(join(project, "packages", "Acme.Base", "docs", "about.txt"));
    expect((await runPaket(["restore", "--force"], project)).code).toBe(0);
  });
});

const MANIFEST = `@{
  RootModule = 'Acme.Shell.psm1'; ModuleVersion = '1.2.0'; Author = 'Acme'
  GUID = '0f4d9c1e-6f7b-4a6b-8b6c-0a3a5c8d9e01'
  Description = 'A module.'; FunctionsToExport = @('Get-AcmeGreeting')
}`;

test.skipIf(powerShell === "")(
  "PSResourceGet publishes a module, finds it, saves it, and imports it",
  async () => {
    const { folder } = feed.client;
    const module = join(folder, "Acme.Shell");
    const saved = join(folder, "saved");
    await mkdir(module);
    await mkdir(saved);
    await writeFile(join(module, "Acme.Shell.psd1"), MANIFEST);
    await writeFile(join(module, "Acme.Shell.psm1"), 'function Get-AcmeGreeting { "hello" }\n');
    const script = join(folder, "shell.ps1");
    await writeFile(
      script,
      [
        "$ErrorActionPreference = 'Stop'",
        `$feed = @{ Repository = 'feed' }`,
        `Register-PSResourceRepository -Name feed -Uri ${feed.host.url}/v3/index.json -Trusted`,
        `Publish-PSResource -Path '${module}' @feed -ApiKey '${feed.token}'`,
        `Find-PSResource Acme.Shell @feed | ForEach-Object { "found $($_.Name) $($_.Version)" }`,
        `Save-PSResource Acme.Shell -Version 1.2.0 @feed -Path '${saved}' -TrustRepository`,
        `Import-Module '${join(saved, "Acme.Shell", "1.2.0", "Acme.Shell.psd1")}'`,
        `"greeting: $(Get-AcmeGreeting)"`,
      ].join("\n"),
    );
    const { code, output } = await run(
      powerShell,
      ["-NoLogo", "-NoProfile", "-NonInteractive", "-File", script],
      { env: { HOME: join(folder, "home"), POWERSHELL_TELEMETRY_OPTOUT: "1" } },
    );
    expect(output).toContain("found Acme.Shell 1.2.0");
    expect(output).toContain("greeting: hello");
    expect(code).toBe(0);
    const versions = await feed.host.fetch("/v3/package/acme.shell/index.json");
    expect(await versions.json()).toEqual({ versions: ["1.2.0"] });
  },
);
