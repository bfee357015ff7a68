import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeNupkg } from "./artifacts.ts";
import { makeToken, openHost } from "./host-process.ts";
import { expectStatus } from "./expect-status.ts";
import type { Result } from "./result.ts";

const PACKAGE_BYTES = 100_000;
/** Each package needs the next ones, so that a restore walks a deep and shared graph. */
const DEPENDENCIES = [1, 2, 7];

/**
 * A real `dotnet restore` with empty caches. The host logs when each answer ended and how long it
 * took, to the last byte. The client asks for many at once, so what it waited at most is the time
 * in which at least one answer was owed; the sum counts one moment once per request.
 */
export async function measureRestore(
  folder: string,
  { packages }: { readonly packages: number },
): Promise<readonly Result[]> {
  const data = join(folder, "restore");
  const log = join(folder, "restore.log");
  const env = { Logging__LogLevel__Default: "Debug", Logging__Format: "Json", Signing__Mode: "" };
  const token = await makeToken(data, env);
  await using host = await openHost(data, { env, logTo: log });
  await publishClosure(folder, { url: host.url, token, packages });
  const warmUp = await restore(join(folder, "warm-up"), host.url);
  const before = (await linesOf(log)).length;
  const measured = await restore(join(folder, "measured"), host.url);
  const answers = (await linesOf(log)).slice(before).flatMap(answerOf);
  const sumMs = answers.reduce((sum, { from, to }) => sum + to - from, 0);
  const owedMs = covered(answers);
  return [
    {
      what: `dotnet restore of ${packages} packages: time in which we owed an answer`,
      figure: (owedMs / measured.wallMs) * 100,
      unit: "% of its wall time",
      budget: 15,
      bound: "at most",
      remark:
        `${owedMs.toFixed(0)} ms for ${answers.length} answers (sum of the response times ` +
        `${sumMs.toFixed(0)} ms) in ${secondsOf(measured)} s (${secondsOf(warmUp)} s ` +
        "the first time, when documents are rendered)",
    },
  ];
}

async function publishClosure(
  folder: string,
  feed: { readonly url: string; readonly token: string; readonly packages: number },
): Promise<void> {
  for (let index = 0; index < feed.packages; index += 1) {
    const namedPackage = { id: nameOf(index), version: "1.0.0" };
    const needs = DEPENDENCIES.map((step) => index + step).filter(
      (dependency) => dependency < feed.packages,
    );
    const path = await writeNupkg(
      folder,
      { ...namedPackage, needs: needs.map(nameOf) },
      PACKAGE_BYTES,
    );
    const answer = await fetch(`${feed.url}/api/v2/package/`, {
      method: "PUT",
      headers: { "x-nuget-apikey": feed.token, "content-type": "application/octet-stream" },
      body: await readFile(path),
    });
    await expectStatus(answer, 201);
  }
}

function nameOf(index: number): string {
  return `Bench.Closure.P${index}`;
}

async function restore(folder: string, url: string): Promise<{ readonly wallMs: number }> {
  const home = join(folder, "home");
  await mkdir(home, { recursive: true });
  const source = `<add key="bench" value="${url}/v3/index.json" allowInsecureConnections="true" />`;
  await writeFile(
    join(folder, "nuget.config"),
    `<configuration><packageSources><clear />${source}</packageSources></configuration>`,
  );
  await writeFile(
    join(folder, "bench.csproj"),
    `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageReference Include="${nameOf(0)}" Version="1.0.0" /></ItemGroup>
</Project>`,
  );
  const startedAt = performance.now();
  const child = spawn("dotnet", ["restore", "--nologo"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      HOME: home,
      DOTNET_CLI_HOME: home,
      NUGET_PACKAGES: join(folder, "packages"),
      NUGET_HTTP_CACHE_PATH: join(folder, "http-cache"),
      DOTNET_CLI_TELEMETRY_OPTOUT: "1",
      MSBUILDDISABLENODEREUSE: "1",
    },
  });
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`dotnet restore ended with ${child.exitCode}`);
  return { wallMs: performance.now() - startedAt };
}

function secondsOf({ wallMs }: { readonly wallMs: number }): string {
  return (wallMs / 1000).toFixed(1);
}

async function linesOf(log: string): Promise<readonly string[]> {
  return (await readFile(log, "utf8")).split("\n");
}

type Answer = { readonly from: number; readonly to: number };

function answerOf(line: string): Answer[] {
  if (!/"GET \/v3\//.test(line)) return [];
  const { ms, time } = JSON.parse(line) as { ms?: unknown; time?: unknown };
  if (typeof ms !== "number" || typeof time !== "string") return [];
  const to = Date.parse(time);
  return [{ from: to - ms, to }];
}

/** Milliseconds that lie in at least one of the spans. */
function covered(spans: readonly Answer[]): number {
  let [total, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    total += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return total;
}
