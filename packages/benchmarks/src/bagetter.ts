import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./host-process.ts";

const STARTS_WITHIN_MS = 60_000;
const KEY = "bench";

export type NuGetPeer = AsyncDisposable & {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
};

/**
 * The peer of the NuGet benchmarks, BaGetter 1.6.5 in Release, with SQLite and files in `folder`.
 * `SEALHOUSE_BAGETTER` names its published `BaGetter.dll`; undefined without it.
 */
export async function openBaGetter(folder: string): Promise<NuGetPeer | undefined> {
  const program = process.env["SEALHOUSE_BAGETTER"];
  if (program === undefined) return undefined;
  await mkdir(folder, { recursive: true });
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn("dotnet", [program], {
    cwd: dirname(program),
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      ASPNETCORE_URLS: url,
      ApiKey: KEY,
      Database__ConnectionString: `Data Source=${join(folder, "bagetter.db")}`,
      Storage__Path: join(folder, "storage"),
      // A machine may have a newer .NET than the one it was built for.
      DOTNET_ROLL_FORWARD: "Major",
    },
  });
  const giveUpAt = performance.now() + STARTS_WITHIN_MS;
  while (!(await answers(url))) {
    if (performance.now() > giveUpAt) throw new Error("BaGetter does not answer");
    await delay(50);
  }
  return {
    url,
    token: KEY,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/v3/index.json`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}
