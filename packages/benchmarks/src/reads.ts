import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { writeNupkg } from "./artifacts.ts";
import { expectStatus } from "./expect-status.ts";
import type { HostProcess } from "./host-process.ts";
import { freePort } from "./host-process.ts";
import { drive } from "./load.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { cpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

/** A long history, whose registration index links to pages. */
const NUGET_VERSIONS = 500;
const NPM_VERSIONS = 20;
/** Many short rounds in turn: what else the machine does then falls on both sides alike. */
const ROUNDS = 11;
const ROUND_SECONDS = 2;

/** Stored documents in memory: the host and bare node:http with the same bytes, in turn. */
export async function measureReads(
  host: HostProcess,
  token: string,
  folder: string,
): Promise<readonly Result[]> {
  await publishNuGet(host.url, token, folder);
  await publishNpm(host.url, token);
  const results: Result[] = [];
  for (const [what, path] of [
    [
      `registration index of ${NUGET_VERSIONS} versions, gzip`,
      "/v3/registration-gz-semver2/bench.reads/index.json",
    ],
    [
      "registration page of 64 versions, gzip",
      "/v3/registration-gz-semver2/bench.reads/page/1.0.0/1.63.0.json",
    ],
    [`version list of ${NUGET_VERSIONS} versions, gzip`, "/v3/package/bench.reads/index.json"],
    [`packument of ${NPM_VERSIONS} versions, gzip`, "/npm/bench-reads"],
  ] as const) {
    results.push(await sideBySide(host, what, path));
  }
  return results;
}

async function sideBySide(host: HostProcess, what: string, path: string): Promise<Result> {
  const bare = await openBareServer(`${host.url}${path}`);
  const pids = { bare: bare.child.pid ?? 0, host: host.pid };
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const peer = await driveWatched(bare.url, pids.bare);
    const ours = await driveWatched(`${host.url}${path}`, pids.host);
    rounds.push({ peer, ours, share: ours.requestsPerSecond / peer.requestsPerSecond });
  }
  bare.child.kill();
  const of = (figure: (round: Round) => number): string => median(rounds.map(figure)).toFixed(0);
  const rate = `${of(({ ours }) => ours.requestsPerSecond)} requests/s`;
  const peerRate = of(({ peer }) => peer.requestsPerSecond);
  const cpu = `${of(({ ours }) => ours.cpuUs)} against ${of(({ peer }) => peer.cpuUs)} us CPU each`;
  return {
    what,
    figure: median(rounds.map((round) => round.share)) * 100,
    unit: "% of bare node:http",
    budget: 60,
    bound: "at least",
    remark: `median of ${ROUNDS} pairs; ${rate} against ${peerRate}, ${cpu}`,
  };
}

type Watched = { readonly requestsPerSecond: number; readonly cpuUs: number };
type Round = { readonly peer: Watched; readonly ours: Watched; readonly share: number };

async function driveWatched(url: string, pid: number): Promise<Watched> {
  const before = cpuSeconds(pid);
  const { requestsPerSecond } = await drive(url, ROUND_SECONDS);
  const cpu = cpuSeconds(pid) - before;
  return { requestsPerSecond, cpuUs: (cpu / (requestsPerSecond * ROUND_SECONDS)) * 1e6 };
}

async function openBareServer(source: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const script = new URL("bare-server.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, String(port), source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return { url: `http://127.0.0.1:${port}/`, child };
}

async function publishNuGet(url: string, token: string, folder: string): Promise<void> {
  for (let minor = 0; minor < NUGET_VERSIONS; minor += 1) {
    const path = await writeNupkg(folder, { id: "Bench.Reads", version: `1.${minor}.0` }, 10_000);
    const answer = await fetch(`${url}/api/v2/package/`, {
      method: "PUT",
      headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
      body: await readFile(path),
    });
    await expectStatus(answer, 201);
  }
}

async function publishNpm(url: string, token: string): Promise<void> {
  for (let minor = 0; minor < NPM_VERSIONS; minor += 1) {
    const version = { name: "bench-reads", version: `1.${minor}.0`, bytes: 0 };
    await publishNpmVersion({ url: `${url}/npm`, token }, version);
  }
}
