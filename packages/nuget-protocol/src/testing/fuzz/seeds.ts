import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildNupkg, buildNuspec } from "../build-nupkg.ts";
import { buildPdb, buildSnupkg } from "../build-symbols.ts";
import type { Random } from "./random.ts";

/** A file that is right, and where it would be pushed to. */
export type Seed = { readonly bytes: Uint8Array; readonly path: string };

const VECTORS = fileURLToPath(
  new URL("../../../../../vectors/nuget-signatures/packages/", import.meta.url),
);

/** Everything a manifest can say. */
export const MANIFEST = buildNuspec(`<id>Fuzzed.Package</id><version>1.2.3-beta.4+x</version>
    <title>Fuzzed</title><authors>acme</authors><owners>acme</owners>
    <requireLicenseAcceptance>false</requireLicenseAcceptance>
    <license type="expression">MIT OR Apache-2.0</license>
    <licenseUrl>https://licenses.nuget.org/MIT</licenseUrl>
    <icon>images/icon.png</icon><readme>README.md</readme>
    <projectUrl>https://acme.example/</projectUrl><iconUrl>https://acme.example/i.png</iconUrl>
    <description>A package &amp; its <![CDATA[<description>]]>.</description>
    <releaseNotes>Better.</releaseNotes><copyright>me</copyright><language>en-US</language>
    <tags>one two,three</tags><developmentDependency>true</developmentDependency>
    <packageTypes><packageType name="DotnetTool" version="1.0" /></packageTypes>
    <repository type="git" url="https://acme.example/r.git" branch="main" commit="abc" />
    <dependencies>
      <group targetFramework="net8.0"><dependency id="A" version="[1.0.0, 2.0.0)" /></group>
      <group targetFramework=".NETStandard2.0"><dependency id="B" version="1.0" exclude="Build" />
      </group><group />
    </dependencies>
    <frameworkAssemblies><frameworkAssembly assemblyName="System" /></frameworkAssemblies>`);

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

export function fileEntries(random: Random) {
  const readme = random.below(10) === 0 ? Buffer.of(0xff, 0xfe, 0x47) : Buffer.from("# Fuzzed");
  return [
    { name: "images/icon.png", data: PNG },
    { name: "README.md", data: readme },
    { name: "lib/net8.0/Fuzzed.dll", data: "MZ" },
  ];
}

/** Packages that real tools and we have made, and symbol packages. */
export function fuzzSeeds(): readonly [Seed, ...Seed[]] {
  const files = { "images/icon.png": PNG, "README.md": "# Fuzzed", "lib/net8.0/Fuzzed.dll": "MZ" };
  const own = buildNupkg({ id: "Fuzzed.Package", version: "1.2.3", nuspec: MANIFEST, files });
  const identity = { id: "Fuzzed.Package", version: "1.2.3-beta.4" };
  const pdb = buildPdb({ content: "fuzzed" });
  const symbols = buildSnupkg({ ...identity, files: { "lib/net8.0/Fuzzed.pdb": pdb } });
  const vectors = globSync(`${VECTORS}*.nupkg`).toSorted();
  return [
    { bytes: own, path: "/api/v2/package" },
    { bytes: own, path: "/api/v2/package" },
    { bytes: symbols, path: "/api/v2/symbol" },
    { bytes: symbols, path: "/api/v2/symbol" },
    ...vectors.map((file) => ({ bytes: readFileSync(file), path: "/api/v2/package" })),
  ];
}
