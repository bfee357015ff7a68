import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ran } from "./client.ts";
import { run } from "./client.ts";

export type DotnetClient = {
  readonly folder: string;
  /** `name` and the environment decide nothing that a test does not see: own home, own caches. */
  run(args: readonly string[], cwd?: string): Promise<Ran>;
  /** Writes a class library with one package reference; resolves to its folder. */
  consumer(reference: { readonly id: string; readonly version: string }): Promise<string>;
};

/** The .NET SDK with its own home and one package source, `sealhouse`. */
export async function createDotnetClient(options: {
  readonly folder: string;
  readonly source: string;
  readonly dotnet?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The token that goes to the source as the password of some user. */
  readonly credentials?: string;
  /** More elements for nuget.config. */
  readonly config?: string;
}): Promise<DotnetClient> {
  const { folder, source, dotnet = "dotnet", credentials, config = "" } = options;
  const insecure = source.startsWith("http:") ? ' allowInsecureConnections="true"' : "";
  for (const own of ["home", "tmp"]) await mkdir(join(folder, own), { recursive: true });
  await writeFile(
    join(folder, "nuget.config"),
    `<configuration>
  <packageSources>
    <clear />
    <add key="sealhouse" value="${source}" protocolVersion="3"${insecure} />
  </packageSources>${credentials === undefined ? "" : credentialsOf(credentials)}
${config}</configuration>`,
  );
  const env = {
    HOME: join(folder, "home"),
    // Every command leaves empty folders there.
    TMPDIR: join(folder, "tmp"),
    DOTNET_CLI_HOME: join(folder, "home"),
    NUGET_PACKAGES: join(folder, "packages"),
    NUGET_HTTP_CACHE_PATH: join(folder, "http-cache"),
    DOTNET_CLI_TELEMETRY_OPTOUT: "1",
    DOTNET_NOLOGO: "1",
    DOTNET_CLI_UI_LANGUAGE: "en",
    DOTNET_CLI_USE_MSBUILD_SERVER: "0",
    MSBUILDDISABLENODEREUSE: "1",
    ...options.env,
  };
  let consumers = 0;
  return {
    folder,
    run: (args, cwd = folder) => run(dotnet, args, { cwd, env }),
    async consumer({ id, version }) {
      const project = join(folder, `consumer-${++consumers}`);
      await mkdir(project);
      await writeFile(
        join(project, "consumer.csproj"),
        `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageReference Include="${id}" Version="${version}" /></ItemGroup>
</Project>`,
      );
      return project;
    },
  };
}

function credentialsOf(token: string): string {
  return `
  <packageSourceCredentials>
    <sealhouse>
      <add key="Username" value="anybody" />
      <add key="ClearTextPassword" value="${token}" />
    </sealhouse>
  </packageSourceCredentials>`;
}
