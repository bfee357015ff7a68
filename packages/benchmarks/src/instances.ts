import { once } from "node:events";
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openTestPlace } from "@sealhouse/database/testing";
import type { HostProcess } from "./host-process.ts";
import { makeToken, openHost } from "./host-process.ts";
import { digestOf, MANIFEST_TYPE, openImageClient } from "./image-client.ts";
import { drive } from "./load.ts";
import { databaseSettings } from "./npm-databases.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { cpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

type Sizes = { readonly rounds: number; readonly seconds: number };

type Read = {
  readonly method: "GET" | "HEAD";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Instances of one feed. */
type Feed = {
  readonly hosts: readonly HostProcess[];
  readonly packument: Read;
  readonly manifest: Read;
};

/** Sends requests to a host, and resolves to the number of answers per second. */
type Load = (host: HostProcess, read: Read, seconds: number) => Promise<number>;

const INSTANCES = 3;
const BUDGET = 1.1;
const CONNECTIONS = 16;
/** Between an answer and the next request of a connection, so that the CPUs are not the limit. */
const PAUSE_MS = 20;
const REPOSITORY = "bench/image";

/**
 * CPU of the hosts per request while nothing is written, with 16 connections to each instance.
 * Three instances on one PostgreSQL are compared with one of them, and with three hosts of separate
 * databases: on few or busy CPUs, any three processes take more per request than one.
 */
export async function measureInstances(
  folder: string,
  { rounds, seconds }: Sizes,
): Promise<readonly Result[]> {
  await using stack = new AsyncDisposableStack();
  const shared = await openFeed(stack, join(folder, "shared"), INSTANCES);
  const separate: Feed[] = [];
  for (let index = 0; index < INSTANCES; index += 1) {
    separate.push(await openFeed(stack, join(folder, `separate-${index}`), 1));
  }
  const lines = [
    { what: "npm: packument with a token", of: "packument", load: driven, how: "wrk" },
    { what: "npm: packument with a token", of: "packument", load: paced, how: "pauses" },
    { what: "images: manifest HEAD by tag", of: "manifest", load: paced, how: "pauses" },
  ] as const;
  const results: Result[] = [];
  for (const { what, of, load, how } of lines) {
    const turn = (feeds: readonly Feed[], count: number) => () => {
      const pairs = feeds.flatMap((feed) => pairsOf(feed, feed[of])).slice(0, count);
      return costOf(pairs, load, seconds);
    };
    const others = { one: turn([shared], 1), separate: turn(separate, INSTANCES) };
    const costs = await inTurns({ shared: turn([shared], INSTANCES), ...others }, rounds);
    for (const [other, than] of [
      ["one", "one instance"],
      ["separate", "three hosts with separate databases"],
    ] as const) {
      const ratios = costs.map((cost) => cost.shared / cost[other]);
      const us = (side: Side) => median(costs.map((cost) => cost[side])).toFixed(0);
      results.push({
        what: `${what}, three instances on PostgreSQL, 16 connections with ${how} to each`,
        figure: median(ratios),
        unit: `times the CPU per request of ${than}`,
        budget: BUDGET,
        bound: "at most",
        remark: `${us("shared")} instead of ${us(other)} us`,
      });
    }
  }
  return results;
}

type Side = "shared" | "one" | "separate";
type Turns<T> = Readonly<Record<Side, T>>;

/** All sides take turns. The first turn of each does not count. */
async function inTurns(
  turns: Turns<() => Promise<number>>,
  rounds: number,
): Promise<readonly Turns<number>[]> {
  const costs: Turns<number>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const one = await turns.one();
    const shared = await turns.shared();
    costs.push({ one, shared, separate: await turns.separate() });
  }
  return costs.slice(1);
}

async function openFeed(
  stack: AsyncDisposableStack,
  folder: string,
  instances: number,
): Promise<Feed> {
  const env = databaseSettings(stack.use(await openTestPlace("PostgreSQL")));
  // All instances have the pepper and the files of this folder.
  const token = await makeToken(folder, env);
  const hosts: HostProcess[] = [];
  while (hosts.length < instances) hosts.push(stack.use(await openHost(folder, { env })));
  const [first] = hosts;
  if (first === undefined) throw new TypeError("no instance");
  const npm = { url: `${first.url}/npm`, token };
  await publishNpmVersion(npm, { name: "bench-small", version: "1.0.0", bytes: 9_000 });
  const basic = `Basic ${Buffer.from(`bench:${token}`).toString("base64")}`;
  await pushImage(first.url, basic);
  const scope = `repository:${REPOSITORY}:pull`;
  const answer = await fetch(`${first.url}/token?service=bench&scope=${scope}`, {
    headers: { authorization: basic },
  });
  const { token: bearer } = (await answer.json()) as { readonly token: string };
  const accept = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";
  return {
    hosts,
    packument: {
      method: "GET",
      path: "/npm/bench-small",
      headers: { accept, authorization: `Bearer ${token}` },
    },
    manifest: {
      method: "HEAD",
      path: `/v2/${REPOSITORY}/manifests/1.0`,
      headers: { accept: MANIFEST_TYPE, authorization: `Bearer ${bearer}` },
    },
  };
}

function pairsOf({ hosts }: Feed, read: Read): readonly (readonly [HostProcess, Read])[] {
  return hosts.map((host) => [host, read] as const);
}

/** CPU microseconds of the hosts per request, while all of them are driven. */
async function costOf(
  pairs: readonly (readonly [HostProcess, Read])[],
  load: Load,
  seconds: number,
): Promise<number> {
  const used = () => pairs.reduce((sum, [{ pid }]) => sum + cpuSeconds(pid), 0);
  const before = used();
  const rates = await Promise.all(pairs.map(([host, read]) => load(host, read, seconds)));
  const requests = rates.reduce((sum, rate) => sum + rate, 0) * seconds;
  return ((used() - before) / requests) * 1e6;
}

const driven: Load = async ({ url }, { path, headers }, seconds) =>
  (await drive(`${url}${path}`, seconds, { headers })).requestsPerSecond;

const paced: Load = async ({ url }, { method, path, headers }, seconds) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const until = performance.now() + seconds * 1_000;
  let answers = 0;
  const connection = async () => {
    while (performance.now() < until) {
      const outgoing = request(`${url}${path}`, { agent, method, headers });
      outgoing.end();
      const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
      answer.resume();
      await once(answer, "end");
      if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}`);
      answers += 1;
      await delay(PAUSE_MS);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  } finally {
    agent.destroy();
  }
  return answers / seconds;
};

async function pushImage(url: string, authorization: string): Promise<void> {
  using client = openImageClient(url, authorization);
  const config = Buffer.from("{}");
  const digest = digestOf(config);
  const uploads = `/v2/${REPOSITORY}/blobs/uploads/?digest=${digest}`;
  await client.ask({ method: "POST", path: uploads, status: 201, body: config });
  const mediaType = "application/vnd.oci.image.config.v1+json";
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: { mediaType, digest, size: config.length },
    layers: [],
  };
  await client.ask({
    method: "PUT",
    path: `/v2/${REPOSITORY}/manifests/1.0`,
    status: 201,
    headers: { "content-type": MANIFEST_TYPE },
    body: Buffer.from(JSON.stringify(manifest)),
  });
}
