import { glob, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DotnetFeed } from "./dotnet-feed.ts";
import { openDotnetFeed } from "./dotnet-feed.ts";
import { hasClient, openFolder, run } from "./client.ts";

/** Restored with the sources of this machine; each brings its dependencies. */
const PACKAGES = [
  "AutoMapper/13.0.1",
  "Azure.Core/1.44.1",
  "BenchmarkDotNet/0.14.0",
  "Castle.Core/5.1.1",
  "CsvHelper/33.0.1",
  "Dapper/2.1.35",
  "FluentValidation/11.11.0",
  "Google.Protobuf/3.29.3",
  "Grpc.Net.Client/2.67.0",
  "HtmlAgilityPack/1.11.72",
  "Humanizer.Core/2.14.1",
  "Moq/4.20.72",
  "Newtonsoft.Json/13.0.3",
  "NodaTime/3.2.1",
  "Npgsql/9.0.2",
  "NUnit/4.3.2",
  "Polly/8.5.1",
  "RestSharp/112.1.0",
  "Serilog.Sinks.Console/6.0.0",
  "StackExchange.Redis/2.8.24",
  "YamlDotNet/16.3.0",
  "xunit/2.9.3",
];
/** Number of packages; `pnpm test:extended` sets it. */
const MAX = Number(process.env["SEALHOUSE_REAL_PACKAGES"] ?? "0");
const RESTORE_WITHIN_MS = 300_000;
const AT_ONCE = 4;

/** Package files that the public feed signs, or an empty list with a prominent line. */
async function downloadPackages(folder: string): Promise<readonly string[]> {
  const references = PACKAGES.map((text) => {
    const [id, version] = text.split("/");
    return `<PackageReference Include="${id}" Version="${version}" />`;
  });
  await writeFile(
    join(folder, "real.csproj"),
    `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net8.0</TargetFramework><NuGetAudit>false</NuGetAudit></PropertyGroup>
  <ItemGroup>${references.join("")}</ItemGroup>
</Project>`,
  );
  const packages = join(folder, "packages");
  const restore = ["restore", "--packages", packages, "-p:TreatWarningsAsErrors=false"];
  const { code, output } = await run("dotnet", restore, {
    cwd: folder,
    timeoutMs: RESTORE_WITHIN_MS,
  });
  const files = await Array.fromAsync(glob("**/*.nupkg", { cwd: packages }));
  if (code !== 0 || files.length === 0) {
    const reason = /error[^\n]*/.exec(output)?.[0] ?? output.slice(-200);
    process.stderr.write(`\nSKIPPED: the real packages cannot be restored: ${reason}\n\n`);
    return [];
  }
  return files.toSorted().map((file) => join(packages, file));
}

describe.skipIf(MAX === 0 || !hasClient("dotnet"))("real packages of the public gallery", () => {
  const cleanUp = new AsyncDisposableStack();
  let feed: DotnetFeed;
  let files: readonly string[];

  beforeAll(async () => {
    const { path: folder } = cleanUp.use(await openFolder());
    files = (await downloadPackages(folder)).slice(0, MAX);
    feed = cleanUp.use(await openDotnetFeed({ scheme: "http" }));
  }, RESTORE_WITHIN_MS);
  afterAll(() => cleanUp.disposeAsync());

  test("are pushed, signed by this feed and verified by dotnet and by us", async ({ skip }) => {
    if (files.length === 0) skip();
    const certificate = await trustedCertificate(feed);
    const served = await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, worker) => {
        const mine = files.filter((_file, index) => index % AT_ONCE === worker);
        const paths: string[] = [];
        for (const file of mine) paths.push(await pushAndDownload(feed, file));
        return paths;
      }),
    );
    const paths = served.flat();
    process.stderr.write(`real packages: ${paths.length}\n`);
    expect(paths).toHaveLength(files.length);

    const own = await feed.host.cli("verify", ...paths, "--trust", certificate, "--json");
    const verdicts = JSON.parse(own.stdout) as { file: string; errors: { code: string }[] }[];
    expect(verdicts).toHaveLength(paths.length);
    const broken = verdicts.filter(({ errors }) => errors.some(({ code }) => !isOfRoots(code)));
    expect(broken).toEqual([]);

    const { output } = await feed.client.run(["nuget", "verify", "--all", ...paths]);
    const codes = new Set(output.match(/error: (NU\d{4})|(NU\d{4}): /g) ?? []);
    const faults = [...codes].filter((code) => !isOfRoots(/NU\d{4}/.exec(code)?.[0] ?? ""));
    expect(faults).toEqual([]);
    expect(output).toContain("Signature type: Repository");
  }, 600_000);
});

/** Codes about trust in roots: the certificate of a test host is self-signed. */
function isOfRoots(code: string): boolean {
  return ["NU3018", "NU3027", "NU3028", "NU3037", "NU3042"].includes(code);
}

async function trustedCertificate({ host }: DotnetFeed): Promise<string> {
  const listed = await host.cli("signing", "list", "--json");
  const [first] = JSON.parse(listed.stdout || "[]") as { fingerprint?: string }[];
  const path = join(host.folder, "trusted.crt");
  if (!first?.fingerprint) return path;
  const answer = await host.fetch(`/v3/certificates/${first.fingerprint}.crt`);
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  return path;
}

/** Resolves to the path of the file as the feed serves it. */
async function pushAndDownload({ host, token, client }: DotnetFeed, file: string): Promise<string> {
  const body = await readFile(file);
  const headers = { "x-nuget-apikey": token, "content-type": "application/octet-stream" };
  const pushed = await host.fetch("/api/v2/package/", { method: "PUT", headers, body });
  const reason = await pushed.text();
  if (pushed.status !== 201) throw new Error(`${basename(file)}: ${pushed.status} ${reason}`);
  const [, id = "", version = ""] = /([^/]+)\/([^/]+)\/[^/]+$/.exec(file) ?? [];
  const name = `${id}.${version}.nupkg`;
  const answer = await host.fetch(`/v3/package/${id}/${version}/${name}`);
  expect(answer.status).toBe(200);
  const path = join(client.folder, name);
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  return path;
}
