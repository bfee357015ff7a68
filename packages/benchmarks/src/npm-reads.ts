import type { HostProcess } from "./host-process.ts";
import type { Drive } from "./load.ts";
import { drive } from "./load.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import type { NpmFeed } from "./npm-packages.ts";
import { cpuSeconds } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";
import { openVerdaccio } from "./verdaccio.ts";

type Sizes = { readonly versions: number; readonly rounds: number; readonly seconds: number };
type Side = NpmFeed & { readonly pid: number };
type Line = Drive & {
  readonly what: string;
  readonly path: string;
  /** The ratio of the peer's CPU time to ours. */
  readonly goal: number;
  readonly token?: boolean;
  /** Asks with the entity tag of what it got. */
  readonly again?: boolean;
};

const FULL = { accept: "application/json" };
const SHORT = {
  accept: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*",
};
const GZIP = { "accept-encoding": "gzip, deflate" };

function linesOf(versions: number): readonly Line[] {
  const [small, long] = ["/bench-small", "/bench-long"];
  const tarball = (name: string): string => `/${name}/-/${name}-1.0.0.tgz`;
  const many = `${versions} versions`;
  const middle = `1.${Math.floor(versions / 2)}.0`;
  return [
    { what: "ping", path: "/-/ping", headers: {}, goal: 2 },
    { what: "packument of 3 versions", path: small, headers: FULL, goal: 5 },
    { what: "the same abbreviated", path: small, headers: SHORT, goal: 5 },
    { what: "the same, gzip", path: small, headers: { ...SHORT, ...GZIP }, goal: 7 },
    { what: "the same, 304", path: small, headers: SHORT, goal: 5, again: true },
    { what: "the same with a token", path: small, headers: SHORT, goal: 7, token: true },
    { what: `packument of ${many}`, path: long, headers: FULL, goal: 80 },
    { what: `the same, gzip`, path: long, headers: { ...FULL, ...GZIP }, goal: 150 },
    { what: "the same abbreviated", path: long, headers: SHORT, goal: 100 },
    { what: "abbreviated, gzip", path: long, headers: { ...SHORT, ...GZIP }, goal: 150 },
    { what: "304", path: long, headers: { ...SHORT, ...GZIP }, goal: 150, again: true },
    { what: `one of ${many}`, path: `${long}/${middle}`, headers: FULL, goal: 80 },
    { what: "no such package", path: "/bench-nobodys", headers: SHORT, goal: 3, refused: true },
    { what: "tarball of 10 KB", path: tarball("bench-small"), headers: {}, goal: 4 },
    { what: "tarball of 1 MB", path: tarball("bench-large"), headers: {}, goal: 1.7 },
    { what: "tarball of 50 MB", path: tarball("bench-huge"), goal: 1.4, connections: 2 },
  ];
}

/** Reads of npm clients, host and Verdaccio in turn: CPU time of the server per request. */
export async function measureNpmReads(
  host: HostProcess,
  token: string,
  { folder, ...sizes }: Sizes & { readonly folder: string },
): Promise<readonly Result[]> {
  await using peer = await openVerdaccio(folder);
  const ours: Side = { url: `${host.url}/npm`, token, pid: host.pid };
  for (const side of [ours, peer]) await fill(side, sizes.versions);
  const results: Result[] = [];
  for (const line of linesOf(sizes.versions)) results.push(await compare(line, ours, peer, sizes));
  return results;
}

async function fill(feed: NpmFeed, versions: number): Promise<void> {
  const publish = (name: string, version: string, bytes: number): Promise<void> =>
    publishNpmVersion(feed, { name, version, bytes });
  for (const version of ["1.0.0", "1.0.1", "1.0.2"]) await publish("bench-small", version, 9_000);
  for (let minor = 0; minor < versions; minor += 1) await publish("bench-long", `1.${minor}.0`, 0);
  await publish("bench-large", "1.0.0", 1024 * 1024);
  await publish("bench-huge", "1.0.0", 50 * 1024 * 1024);
}

async function compare(line: Line, ours: Side, peer: Side, sizes: Sizes): Promise<Result> {
  const [own, other] = [await prepare(line, ours), await prepare(line, peer)];
  const rounds: { readonly ours: number; readonly peer: number }[] = [];
  for (let round = 0; round < sizes.rounds; round += 1) {
    const peerUs = await cpuUs(peer, other, sizes.seconds);
    rounds.push({ peer: peerUs, ours: await cpuUs(ours, own, sizes.seconds) });
  }
  const of = (side: "ours" | "peer"): string =>
    median(rounds.map((round) => round[side])).toFixed(0);
  return {
    what: `npm: ${line.what}`,
    figure: median(rounds.map((round) => round.peer / round.ours)),
    unit: "times less CPU than Verdaccio",
    budget: line.goal,
    bound: "at least",
    remark: `median of ${sizes.rounds} pairs; ${of("ours")} against ${of("peer")} us each`,
  };
}

/** Sends the headers of this side, a few times, to warm up the document. */
async function prepare({ token, again, ...line }: Line, side: Side): Promise<Line> {
  const headers: Record<string, string> = { ...line.headers };
  if (token) headers["authorization"] = `Bearer ${side.token}`;
  const answer = await fetch(side.url + line.path, { headers });
  await answer.arrayBuffer();
  const etag = answer.headers.get("etag");
  if (again && etag !== null) headers["if-none-match"] = etag;
  const warm = { ...line, headers };
  await drive(side.url + line.path, 1, warm);
  return warm;
}

async function cpuUs(side: Side, line: Line, seconds: number): Promise<number> {
  const before = cpuSeconds(side.pid);
  const { requestsPerSecond } = await drive(side.url + line.path, seconds, line);
  const cpu = cpuSeconds(side.pid) - before;
  return (cpu / (requestsPerSecond * seconds)) * 1e6;
}
