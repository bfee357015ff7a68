import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noise } from "./artifacts.ts";
import { compareByTurns } from "./by-turns.ts";
import type { Turns } from "./by-turns.ts";
import { makeToken, openHost } from "./host-process.ts";
import { smallCases } from "./image-cases.ts";
import type { Small } from "./image-cases.ts";
import { openImageClient } from "./image-client.ts";
import type { ImageClient } from "./image-client.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { nugetPushes } from "./nuget-work.ts";
import type { NuGetSide } from "./nuget-work.ts";
import { threadSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";

export type VersionSizes = {
  readonly rounds: number;
  /** Requests of each small case in a round. */
  readonly small: number;
  readonly share: number;
  /** `nuget`, `npm` or `images`; undefined for all. */
  readonly only?: string | undefined;
};

type Side = NuGetSide & { readonly images: ImageClient };

const ROOT = new URL("../../../", import.meta.url).pathname;
const BUDGET = 1.1;
const BLOB_BYTES = 4_096;

/** Compares the built host of this work tree with that of another commit, write by write. */
export async function measureVersions(
  folder: string,
  base: string | undefined,
  { rounds, small, share, only }: VersionSizes,
): Promise<readonly Result[]> {
  if (base === undefined) {
    console.log("SKIPPED: --base does not name a commit to compare with");
    return [];
  }
  await using older = await builtCommit(base);
  await using own = await openSide(join(folder, "own"));
  await using other = await openSide(join(folder, "other"), older.main);
  const groups = {
    nuget: nugetPushes(folder, { rounds, budget: BUDGET, share }),
    npm: npmPublishes(rounds, share),
    images: await imageWork(rounds, small),
  };
  const cases: readonly Turns<Side>[] = Object.entries(groups).flatMap(([name, group]) =>
    only === undefined || only === name ? group : [],
  );
  const results: Result[] = [];
  for (const turns of cases) {
    // Hosts of Node end no thread, so the finer figure is complete.
    const sides = { own, other, named: base, seconds: threadSeconds };
    results.push(await compareByTurns(sides, turns));
  }
  return results;
}

function npmPublishes(rounds: number, share: number): readonly Turns<Side>[] {
  const sizes = [
    { name: "10 KB", bytes: 10_000, count: 100 },
    { name: "50 MB", bytes: 50_000_000, count: 2 },
  ];
  return sizes.map(({ name, bytes, count }) => ({
    what: `npm publish of ${name}`,
    count: Math.max(1, Math.round(count * share)),
    rounds,
    budget: BUDGET,
    run({ url, token }, { round, index }) {
      const version = { name: `bench-${bytes}-${round}-${index}`, version: "1.0.0", bytes };
      return publishNpmVersion({ url: `${url}/npm`, token }, version);
    },
  }));
}

/** The round after the last one comes first, and is not counted. */
async function imageWork(rounds: number, small: number): Promise<readonly Turns<Side>[]> {
  const all: Small[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const blobs = [await blobsOf(small), await blobsOf(small)] as const;
    all.push({ repository: `bench/small-${round}`, blobs: blobs[0], more: blobs[1] });
  }
  return smallCases(all).map(({ what, count, run }) => ({
    what,
    count,
    rounds,
    budget: BUDGET,
    run: ({ images }, at) => run(images, at),
  }));
}

async function blobsOf(count: number): Promise<readonly Uint8Array[]> {
  const blobs: Uint8Array[] = [];
  for (let index = 0; index < count; index += 1) {
    blobs.push(Buffer.concat(await Array.fromAsync(noise(BLOB_BYTES))));
  }
  return blobs;
}

async function openSide(folder: string, main?: string): Promise<Side & AsyncDisposable> {
  const options = main === undefined ? {} : { main };
  const token = await makeToken(folder, {}, options);
  const host = await openHost(folder, options);
  const authorization = `Basic ${Buffer.from(`bench:${token}`).toString("base64")}`;
  const images = openImageClient(host.url, authorization);
  return {
    url: host.url,
    pid: host.pid,
    token,
    images,
    async [Symbol.asyncDispose]() {
      images[Symbol.dispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}

/** A work tree of the commit, installed and built; removed at the end. */
async function builtCommit(commit: string): Promise<AsyncDisposable & { readonly main: string }> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-bench-base-"));
  console.log(`building ${commit} …`);
  await runIn(ROOT, "git", "worktree", "add", "--quiet", "--detach", "--force", folder, commit);
  await runIn(
    folder,
    "npx",
    "-y",
    "pnpm@12.21.0",
    "install",
    "--frozen-lockfile",
    "--prefer-offline",
  );
  const build = ["turbo", "run", "build", "--filter=@sealhouse/registry", "--concurrency=2"];
  await runIn(folder, "npx", "-y", "pnpm@12.21.0", "exec", ...build);
  return {
    main: join(folder, "hosts/registry/dist/main.js"),
    async [Symbol.asyncDispose]() {
      await runIn(ROOT, "git", "worktree", "remove", "--force", folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function runIn(folder: string, command: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}`);
}
