import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { cpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

export type HeadSide = {
  readonly url: string;
  readonly pid: number;
  readonly authorization?: string;
};

export type HeadLine = {
  readonly what: string;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
};

type Sizes = { readonly rounds: number; readonly seconds: number };
type Rate = { readonly perSecond: number; readonly cpuUs: number };

const CONNECTIONS = 8;
const RATE_BUDGET = 5;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const OK = Buffer.from("HTTP/1.1 200 ");

/**
 * Compares the rate of HEAD requests. `node:http` as a client takes as much CPU time as our host
 * and would measure itself, and `wrk` waits for the body that a HEAD request does not have.
 */
export async function compareHeads(
  lines: readonly HeadLine[],
  [ours, theirs]: readonly [HeadSide, HeadSide],
  { rounds, seconds }: Sizes,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const line of lines) {
    const pairs: { readonly own: Rate; readonly other: Rate }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const other = await rateOf(line, theirs, seconds);
      pairs.push({ other, own: await rateOf(line, ours, seconds) });
    }
    const own = median(pairs.map((pair) => pair.own.cpuUs)).toFixed(0);
    const other = median(pairs.map((pair) => pair.other.cpuUs)).toFixed(0);
    results.push({
      what: `images: ${line.what}`,
      figure: median(pairs.map((pair) => pair.own.perSecond / pair.other.perSecond)),
      unit: "times the rate of docker-registry",
      budget: RATE_BUDGET,
      bound: "at least",
      remark: `median of ${rounds} pairs; ${own} against ${other} CPU us each`,
    });
  }
  return results;
}

async function rateOf(line: HeadLine, side: HeadSide, seconds: number): Promise<Rate> {
  const requests = line.paths.map((path) => requestOf(path, line, side));
  const cpu = cpuSeconds(side.pid);
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1_000;
  const shares = Array.from({ length: CONNECTIONS }, (_, connection) =>
    requests.filter((_request, index) => index % CONNECTIONS === connection),
  );
  const counts = await Promise.all(
    shares.map((share) => driveConnection(new URL(side.url), share, deadline)),
  );
  const count = counts.reduce((sum, one) => sum + one, 0);
  return {
    perSecond: count / ((performance.now() - startedAt) / 1_000),
    cpuUs: ((cpuSeconds(side.pid) - cpu) / count) * 1e6,
  };
}

function requestOf(path: string, { headers }: HeadLine, { url, authorization }: HeadSide): Buffer {
  const all = {
    host: new URL(url).host,
    ...headers,
    ...(authorization !== undefined && { authorization }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HEAD ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
}

/** Sends one request after the other until `deadline`. Returns the number of answers. */
async function driveConnection(
  { hostname, port }: URL,
  requests: readonly Buffer[],
  deadline: number,
): Promise<number> {
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  let answers = 0;
  let received: Buffer = Buffer.alloc(0);
  const send = () => socket.write(requests[answers % requests.length] ?? "");
  send();
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (!received.subarray(-END_OF_HEAD.length).equals(END_OF_HEAD)) continue;
    if (!received.subarray(0, OK.length).equals(OK)) {
      throw new Error(`a HEAD request was answered ${received.toString("latin1")}`);
    }
    received = Buffer.alloc(0);
    answers += 1;
    if (performance.now() >= deadline) break;
    send();
  }
  socket.destroy();
  return answers;
}
