import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildPdb, buildSnupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasClient } from "./client.ts";
import type { DebugDirectory } from "./debug-directory.ts";
import { readDebugDirectory } from "./debug-directory.ts";
import type { DotnetFeed } from "./dotnet-feed.ts";
import { openDotnetFeed } from "./dotnet-feed.ts";

const PROJECT = `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <PackageId>Acme.Debugged</PackageId>
    <AssemblyName>Acme.Debugged</AssemblyName>
    <Version>1.0.0</Version>
    <Authors>acme</Authors>
  </PropertyGroup>
</Project>`;
const SOURCE = "public static class Seal { public static int Bark(int times) => times + 1; }";
const WITH_SYMBOLS = ["-p:IncludeSymbols=true", "-p:SymbolPackageFormat=snupkg"];

describe.skipIf(!hasClient("dotnet"))("dotnet and symbol packages", () => {
  let feed: DotnetFeed;
  let built: { readonly pdb: Buffer; readonly dll: DebugDirectory; readonly snupkg: Buffer };
  let path: string;

  beforeAll(async () => {
    feed = await openDotnetFeed({ scheme: "http" });
    const project = join(feed.client.folder, "debugged");
    await mkdir(project);
    await writeFile(join(project, "debugged.csproj"), PROJECT);
    await writeFile(join(project, "Seal.cs"), SOURCE);
    const packed = await feed.client.run(["pack", "-o", "packed", ...WITH_SYMBOLS], project);
    expect(packed.code, packed.output).toBe(0);

    const output = join(project, "bin/Release/net10.0");
    built = {
      pdb: await readFile(join(output, "Acme.Debugged.pdb")),
      dll: readDebugDirectory(await readFile(join(output, "Acme.Debugged.dll"))),
      snupkg: await readFile(join(project, "packed/Acme.Debugged.1.0.0.snupkg")),
    };
    const pushed = await feed.push(join(project, "packed/Acme.Debugged.1.0.0.nupkg"));
    expect(pushed.output).toContain("Acme.Debugged.1.0.0.snupkg");
    expect(pushed.code, pushed.output).toBe(0);
    path = `/symbols/Acme.Debugged.pdb/${built.dll.guid}FFFFFFFF/Acme.Debugged.pdb`;
  });
  afterAll(() => feed[Symbol.asyncDispose]());

  async function get(of: string, headers: Readonly<Record<string, string>> = {}) {
    const answer = await feed.host.fetch(of, {
      headers: { "x-nuget-apikey": feed.token, ...headers },
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  test("the PDB is there under the id that the DLL names", async () => {
    expect(await get(path)).toEqual({ status: 200, bytes: built.pdb });
    expect(await get(path.toLowerCase())).toEqual({ status: 200, bytes: built.pdb });
    // As the .NET tools of some years write it.
    const escaped = path.replaceAll("/", "%2F").replace(/^%2Fsymbols%2F/, "/symbols/");
    expect(await get(escaped)).toEqual({ status: 200, bytes: built.pdb });
    const other = path.replace(built.dll.guid, "0".repeat(32));
    expect((await get(other)).status).toBe(404);
  });

  test("and under the checksum that the DLL names, not under another", async () => {
    const { checksumAlgorithm, checksum } = built.dll;
    expect(checksumAlgorithm).toBe("SHA256");
    const headers = { SymbolChecksum: `SHA256:${checksum}` };
    expect(await get(`/api/download${path}`, headers)).toEqual({ status: 200, bytes: built.pdb });
    const other = checksum.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    const wrong = { SymbolChecksum: `SHA256:${other}` };
    expect((await get(path, wrong)).status).toBe(404);
  });

  test("the downloaded symbol package equals the pushed one", async () => {
    const file = "/v3/package/acme.debugged/1.0.0/acme.debugged.1.0.0.snupkg";
    expect(await get(file)).toEqual({ status: 200, bytes: built.snupkg });
  });

  test("pushes symbols alone and again, and replaces the earlier ones", async () => {
    const other = buildPdb({ content: "a later build" });
    const files = { "lib/net10.0/Later.pdb": other };
    const file = join(feed.client.folder, "Acme.Debugged.1.0.0.snupkg");
    await writeFile(file, buildSnupkg({ id: "Acme.Debugged", version: "1.0.0", files }));
    const pushed = await feed.push(file);
    expect(pushed.code, pushed.output).toBe(0);
    expect((await get(path)).status).toBe(404);

    await writeFile(file, built.snupkg);
    expect((await feed.push(file)).code).toBe(0);
    expect(await get(path)).toEqual({ status: 200, bytes: built.pdb });
  });

  test("clients show the reason for refused symbols", async () => {
    const file = join(feed.client.folder, "wrong.snupkg");
    const pushed = async (id: string, pdb: Uint8Array | string) => {
      await writeFile(file, buildSnupkg({ id, version: "1.0.0", files: { "a.pdb": pdb } }));
      return feed.push(file);
    };
    const early = await pushed("Acme.Absent", buildPdb({ content: "early" }));
    expect(early.output).toContain("Push Acme.Absent 1.0.0 first, then its symbols.");
    expect(early.code).toBe(1);

    const windows = await pushed("Acme.Debugged", "Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0");
    expect(windows.output).toContain("is a Windows PDB");
    expect(windows.code).toBe(1);
  });
});
