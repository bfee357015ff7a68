import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeNoise, writeNupkg } from "./artifacts.ts";
import type { HostProcess } from "./host-process.ts";
import { makeToken, openHost } from "./host-process.ts";
import { pushImage } from "./image-push.ts";
import { openImageClient } from "./image-client.ts";
import { publishNpmVersion } from "./npm-packages.ts";
import { pushNupkg } from "./pushes.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

type Sizes = { readonly mib: number; readonly rounds: number };

/** A file in transfer: milliseconds to its first and to its last byte. */
type Transfer = { readonly firstMs: number; readonly lastMs: number };

type Subject = {
  readonly what: string;
  /** Path of the document that clients read before the file. */
  readonly before: (round: number) => string;
  readonly path: (round: number) => string;
};

const MIB = 1024 * 1024;
/** The first transfer of a process loads code. */
const WARM_UPS = 1;
const TIMES = 1.2;
const MORE_MS = 20;

/** First byte of large files that the mirror does not have yet, compared with the source
 * itself. Each round has another file. */
export async function measureFirstBytes(folder: string, sizes: Sizes): Promise<readonly Result[]> {
  const sourceFolder = join(folder, "source");
  const token = await makeToken(sourceFolder);
  await using source = await openHost(sourceFolder, { env: { Signing__Mode: "" } });
  await using mirror = await openMirrorOf(join(folder, "mirror"), source.url);
  const results: Result[] = [];
  for (const open of [openBlobs, openTarballs, openPackages]) {
    const subject = await open({ source, token, folder, ...sizes });
    results.push(await compare(subject, { source, mirror, ...sizes }));
  }
  return results;
}

/** A host that mirrors all three protocols of another one. */
export function openMirrorOf(folder: string, url: string): Promise<HostProcess> {
  const sources = [
    ["npm", "npm", `${url}/npm/`],
    ["nuget", "nuget", `${url}/v3/index.json`],
    ["oci", "oci", url],
  ] as const;
  const env = sources.flatMap(([name, protocol, feedUrl], index) => [
    [`PackageSources__${index}__Name`, name],
    [`PackageSources__${index}__Protocol`, protocol],
    [`PackageSources__${index}__FeedUrl`, feedUrl],
    [`PackageSources__${index}__AllowPrivateNetwork`, "true"],
  ]);
  return openHost(folder, { env: { ...Object.fromEntries(env), Signing__Mode: "" } });
}

type Place = Sizes & {
  readonly source: HostProcess;
  readonly token: string;
  readonly folder: string;
};

async function openBlobs({ source, token, folder, mib, rounds }: Place): Promise<Subject> {
  const authorization = `Basic ${Buffer.from(`bench:${token}`).toString("base64")}`;
  using client = openImageClient(source.url, authorization);
  const digests: string[] = [];
  for (let round = 0; round < rounds + WARM_UPS; round += 1) {
    const path = join(folder, "layer.bin");
    const digest = `sha256:${await writeNoise(path, mib * MIB)}`;
    const layer = { path, digest, size: (await stat(path)).size };
    await pushImage(client, { repository: `bench/file-${round}`, tag: "1", layers: [layer] });
    await rm(path);
    digests.push(digest);
  }
  return {
    what: `layer of ${mib} MiB`,
    before: (round) => `/v2/bench/file-${round}/manifests/1`,
    path: (round) => `/v2/bench/file-${round}/blobs/${digests[round]}`,
  };
}

async function openTarballs({ source, token, mib, rounds }: Place): Promise<Subject> {
  const feed = { url: `${source.url}/npm`, token };
  for (let round = 0; round < rounds + WARM_UPS; round += 1) {
    await publishNpmVersion(feed, { name: `file-${round}`, version: "1.0.0", bytes: mib * MIB });
  }
  return {
    what: `npm tarball of ${mib} MiB`,
    before: (round) => `/npm/file-${round}`,
    path: (round) => `/npm/file-${round}/-/file-${round}-1.0.0.tgz`,
  };
}

async function openPackages({ source, token, folder, mib, rounds }: Place): Promise<Subject> {
  for (let round = 0; round < rounds + WARM_UPS; round += 1) {
    const named = { id: `File.Number${round}`, version: "1.0.0" };
    const path = await writeNupkg(folder, named, mib * MIB);
    await pushNupkg(source.url, token, path);
    await rm(path);
  }
  return {
    what: `NuGet package of ${mib} MiB`,
    before: (round) => `/v3/package/file.number${round}/index.json`,
    path: (round) => {
      const id = `file.number${round}`;
      return `/v3/package/${id}/1.0.0/${id}.1.0.0.nupkg`;
    },
  };
}

async function compare(
  subject: Subject,
  {
    source,
    mirror,
    rounds,
  }: Sizes & { readonly source: HostProcess; readonly mirror: HostProcess },
): Promise<Result> {
  const direct: Transfer[] = [];
  const cold: Transfer[] = [];
  for (let round = 0; round < rounds + WARM_UPS; round += 1) {
    for (const [host, transfers] of [
      [source, direct],
      [mirror, cold],
    ] as const) {
      await timed(new URL(subject.before(round), host.url));
      transfers.push(await timed(new URL(subject.path(round), host.url)));
    }
  }
  const of = (transfers: readonly Transfer[], figure: keyof Transfer) =>
    median(transfers.slice(WARM_UPS).map((transfer) => transfer[figure]));
  const [firstMs, lastMs] = [of(direct, "firstMs"), of(direct, "lastMs")];
  const wholes = `the last after ${of(cold, "lastMs").toFixed(0)} against ${lastMs.toFixed(0)} ms`;
  return {
    what: `first byte of a mirrored ${subject.what} that is not here yet`,
    figure: of(cold, "firstMs"),
    unit: "ms",
    budget: TIMES * firstMs + MORE_MS,
    bound: "at most",
    remark: `median of ${rounds}; ${firstMs.toFixed(1)} ms from the source; ${wholes}`,
  };
}

/** Reads a file to its end, through a new connection. */
async function timed(url: URL): Promise<Transfer> {
  const accept = "application/vnd.oci.image.manifest.v1+json, */*";
  const startedAt = performance.now();
  const outgoing = request(url, { agent: false, headers: { accept } });
  outgoing.end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`${url.href} was answered ${answer.statusCode}`);
  let firstMs: number | undefined;
  for await (const _ of answer) firstMs ??= performance.now() - startedAt;
  const lastMs = performance.now() - startedAt;
  return { firstMs: firstMs ?? lastMs, lastMs };
}
