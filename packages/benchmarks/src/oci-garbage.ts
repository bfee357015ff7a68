import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fillImages, openTestPlace, testableDatabases } from "@sealhouse/database/testing";
import type { ImageSizes, TestPlace } from "@sealhouse/database/testing";
import { expectStatus } from "./expect-status.ts";
import { makeToken, openHost, startCommand } from "./host-process.ts";
import type { HostProcess } from "./host-process.ts";
import { cpuSeconds, peakMib } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { median } from "./start-up.ts";

const DAY_MS = 24 * 60 * 60_000;
const LAYER_BYTES = 16_384;
const UNTAGGED_EVERY = 100;
const REPOSITORIES = 50;
/** Milliseconds between two looks at the collector's memory. */
const LOOK_MS = 20;

/**
 * Collects among many blobs, one in a hundred of them garbage, on PostgreSQL, by the command in its
 * own process, while images are pushed to the host.
 */
export async function measureOciGarbage(
  folder: string,
  { blobs }: { readonly blobs: number },
): Promise<readonly Result[]> {
  if (!testableDatabases().includes("PostgreSQL")) return [];
  await using place = await openTestPlace("PostgreSQL");
  await fillImages(place.config, sizesOf(blobs));
  const env = settingsOf(place);
  const data = join(folder, "oci-garbage");
  const token = await makeToken(data, env);
  await using host = await openHost(data, { env });

  await pushWhile(host, token, delay(2_000));
  const alone = await pushWhile(host, token, delay(10_000));
  const collected = collect(data, env);
  const meanwhile = await pushWhile(host, token, collected);
  const afterwards = await pushWhile(host, token, delay(10_000));
  const { seconds, peak, summary } = await collected;
  const what = `collecting ${blobs} blobs, one in ${UNTAGGED_EVERY} garbage, PostgreSQL`;
  const usual = median([...alone, ...afterwards]);
  return [
    { what, figure: seconds, unit: "s", budget: 60, bound: "at most", remark: summary },
    {
      what: `${what}: peak memory of the collector`,
      figure: peak,
      unit: "MiB",
      budget: 200,
      bound: "at most",
    },
    {
      what: `${what}: how much longer a push takes meanwhile`,
      figure: (median(meanwhile) / usual - 1) * 100,
      unit: "% more",
      budget: 20,
      bound: "at most",
      remark: `median ${median(meanwhile).toFixed(1)} ms, without ${usual.toFixed(1)} ms`,
    },
  ];
}

function sizesOf(blobs: number): ImageSizes {
  const usedAt = new Date(Date.now() - 3 * DAY_MS);
  return {
    images: blobs / 10,
    untaggedEvery: UNTAGGED_EVERY,
    repositories: REPOSITORIES,
    usedAt,
  };
}

type Collection = { readonly seconds: number; readonly peak: number; readonly summary: string };

async function collect(folder: string, env: Readonly<Record<string, string>>): Promise<Collection> {
  const startedAt = performance.now();
  const command = startCommand(folder, ["oci", "gc", "--run"], env);
  let peak = 0;
  let cpu = 0;
  const ended = endOf(command.end);
  while (!ended.aborted) {
    peak = Math.max(peak, seen(peakMib, command.pid));
    cpu = Math.max(cpu, seen(cpuSeconds, command.pid));
    await delay(LOOK_MS);
  }
  const { code, stderr } = await command.end;
  if (code !== 0) throw new Error(`sealhouse oci gc ended with ${code}: ${stderr}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const summary = `${stderr.split(". ")[0]}; ${cpu.toFixed(1)} CPU s of the collector`;
  return { seconds, peak, summary };
}

/** Aborts when the promise is settled. */
function endOf(promise: Promise<unknown>): AbortSignal {
  const ended = new AbortController();
  const end = () => ended.abort();
  promise.then(end, end);
  return ended.signal;
}

/** Nothing once the process is gone. */
function seen(figureOf: (pid: number) => number, pid: number): number {
  try {
    const figure = figureOf(pid);
    return Number.isNaN(figure) ? 0 : figure;
  } catch {
    return 0;
  }
}

/**
 * Milliseconds of each image pushed during the collection, one after the other: two blobs and a
 * manifest.
 */
async function pushWhile(
  host: HostProcess,
  token: string,
  until: Promise<unknown>,
): Promise<readonly number[]> {
  const ended = endOf(until);
  const took: number[] = [];
  while (!ended.aborted) {
    const startedAt = performance.now();
    await pushImage(host, token, "bench/pushed");
    took.push(performance.now() - startedAt);
  }
  return took;
}

async function pushImage({ url }: HostProcess, token: string, name: string): Promise<void> {
  const authorization = `Basic ${btoa(`bench:${token}`)}`;
  const send = async (
    method: "POST" | "PUT",
    path: string,
    { body, type }: { readonly body: Uint8Array; readonly type: string },
  ) => {
    const headers = { authorization, "content-type": type };
    const sent = { method, headers, body: new Uint8Array(body) };
    await expectStatus(await fetch(`${url}/v2/${name}/${path}`, sent), 201);
  };
  const contents = [
    Buffer.from(`{"of":"${randomBytes(8).toString("hex")}"}`),
    randomBytes(LAYER_BYTES),
  ];
  const [config, layer] = contents.map((bytes) => ({
    digest: digestOf(bytes),
    size: bytes.length,
  }));
  for (const body of contents) {
    const path = `blobs/uploads/?digest=${digestOf(body)}`;
    await send("POST", path, { body, type: "application/octet-stream" });
  }
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType,
    config: { mediaType: "application/vnd.oci.image.config.v1+json", ...config },
    layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", ...layer }],
  });
  await send("PUT", "manifests/latest", { body: Buffer.from(manifest), type: mediaType });
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function settingsOf({ config }: TestPlace): Record<string, string> {
  if (config.type !== "PostgreSQL") throw new TypeError("this is measured on PostgreSQL");
  const { host, port, database, user } = config;
  return {
    Signing__Mode: "",
    Feed__Oci__Default__Enabled: "true",
    Database__Type: config.type,
    Database__ConnectionString: `Host=${host};Port=${port};Database=${database};Username=${user}`,
  };
}
