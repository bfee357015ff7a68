import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { HostProcess } from "./host-process.ts";
import { makeToken, openHost } from "./host-process.ts";
import { packTarball, publishBody } from "./npm-publish-body.ts";
import { compareWithFloor } from "./npm-publish-floor.ts";
import { comparePublishes } from "./npm-publish-peers.ts";
import type { PeerPublishSizes } from "./npm-publish-peers.ts";
import { cpuSeconds, peakMib, resetPeak, residentMib } from "./process-figures.ts";
import { expectStatus } from "./expect-status.ts";
import type { Result } from "./result.ts";

const PACKAGE_BYTES = 10_000;
const CONNECTIONS = 4;
/** Number of publishes to measure, at the start and at the end of a long history. */
const WINDOW = 50;
const SETTLES_MS = 2_000;

export type NpmPublishSizes = {
  readonly packages: number;
  /** Versions of one package. */
  readonly versions: number;
  readonly tarballMib: number;
  readonly peer: PeerPublishSizes;
};

type Target = { readonly host: HostProcess; readonly token: string };

/** Cost of publishing npm packages, also with a long history and with a large tarball. */
export async function measureNpmPublishes(
  folder: string,
  { packages, versions, tarballMib, peer }: NpmPublishSizes,
): Promise<readonly Result[]> {
  const data = join(folder, "npm-publish");
  const token = await makeToken(data);
  await using host = await openHost(data);
  const target = { host, token };
  await publish(target, "bench-first", "1.0.0", PACKAGE_BYTES);
  await delay(SETTLES_MS);
  const feed = { url: `${host.url}/npm`, token, pid: host.pid };
  const compared = await comparePublishes(feed, { folder: join(folder, "verdaccio"), ...peer });
  return [
    ...compared,
    await compareWithFloor(feed, { folder: join(folder, "floor"), ...peer }),
    await manyNames(target, packages),
    await longHistory(target, versions),
    await largeTarball(target, tarballMib),
  ];
}

async function manyNames(target: Target, packages: number): Promise<Result> {
  const names = Array.from({ length: packages }, (_, index) => `bench-many-${index}`);
  const startedAt = performance.now();
  const cpuMs = await cpuOfEach(target, packages, () =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let name = names.pop(); name !== undefined; name = names.pop()) {
          await publish(target, name, "1.0.0", PACKAGE_BYTES);
        }
      }),
    ),
  );
  const perSecond = packages / ((performance.now() - startedAt) / 1000);
  return {
    what: "npm publishes of 10 KB packages, signed",
    figure: cpuMs,
    unit: "ms CPU each",
    budget: 15,
    bound: "at most",
    remark: `${packages} names on ${CONNECTIONS} connections, ${perSecond.toFixed(0)}/s`,
  };
}

/** The reader causes the rendering of the packument, not the publisher. */
async function longHistory(target: Target, versions: number): Promise<Result> {
  const publishSome = async (from: number, to: number) => {
    for (let patch = from; patch < to; patch += 1) {
      await publish(target, "bench-history", `1.0.${patch}`, 500);
    }
  };
  const early = await cpuOfEach(target, WINDOW, () => publishSome(0, WINDOW));
  await publishSome(WINDOW, versions - WINDOW);
  const late = await cpuOfEach(target, WINDOW, () => publishSome(versions - WINDOW, versions));
  return {
    what: `CPU of a publish, package of ${versions.toLocaleString("en")} versions against 50`,
    figure: late / early,
    unit: "times",
    budget: 2,
    bound: "at most",
    remark: `${late.toFixed(1)} against ${early.toFixed(1)} ms`,
  };
}

async function largeTarball(target: Target, mib: number): Promise<Result> {
  const { pid } = target.host;
  const manifest = { name: "bench-large", version: "1.0.0" };
  const tarball = await packTarball(manifest, mib * 1024 * 1024);
  await delay(SETTLES_MS);
  const restMib = residentMib(pid);
  resetPeak(pid);
  const startedAt = performance.now();
  await send(target, "bench-large", publishBody(manifest, tarball));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    what: `npm publish of a ${mib} MiB tarball`,
    figure: peakMib(pid) - restMib,
    unit: "MiB over rest",
    budget: 50,
    bound: "at most",
    remark: `${(mib / seconds).toFixed(0)} MiB/s, ${restMib.toFixed(0)} MiB at rest`,
  };
}

async function cpuOfEach(
  { host }: Target,
  count: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = cpuSeconds(host.pid);
  await work();
  return ((cpuSeconds(host.pid) - before) / count) * 1000;
}

async function publish(
  target: Target,
  name: string,
  version: string,
  bytes: number,
): Promise<void> {
  const tarball = await packTarball({ name, version }, bytes);
  await send(target, name, publishBody({ name, version }, tarball));
}

async function send({ host, token }: Target, name: string, body: Iterable<Buffer>): Promise<void> {
  const answer = await fetch(`${host.url}/npm/${name}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: Readable.toWeb(Readable.from(body)) as ReadableStream,
    duplex: "half",
  });
  await expectStatus(answer, 200);
}
