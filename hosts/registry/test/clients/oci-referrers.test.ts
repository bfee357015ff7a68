import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send, TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostProcess } from "../../src/testing/index.ts";
import { extendedTest, spawnHost } from "../../src/testing/index.ts";
import type { ClientHome } from "./client-home.ts";
import { openClientHome } from "./client-home.ts";
import { findTool } from "./oci-tools.ts";

/** More referrers than one page holds, as clients see them, and what slow readers cost. */
const NAMES = ["oras-1.2", "oras-1.3", "cosign-3", "notation"] as const;
const tools = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await findTool(name)] as const)),
);

const NOTARY = "application/vnd.cncf.notary.signature";
const RARE = "application/vnd.example.rare";
const COUNT = 1_700;
const RARE_AT = [0, COUNT / 2, COUNT - 1];
const ANNOTATION = "x".repeat(2_500);
const PAGE_BYTES = 4 * 1024 ** 2;
const PUSHES_AT_ONCE = 8;
const TIMEOUT_MS = 300_000;

const REPOSITORY = "team/app";
const subject = buildImage({ layers: [], config: '{"of":"app"}' });
const PATH = `/v2/${REPOSITORY}/referrers/${subject.digest}`;
const referrers = Array.from({ length: COUNT }, (_, index) =>
  referrerOf(subject, RARE_AT.includes(index) ? RARE : NOTARY, { index: `${index}`, ANNOTATION }),
);
const all = digestsOf(referrers);

const HEAVY_COUNT = 40;
const HEAVY = "x".repeat(3_900_000);
const heavySubject = buildImage({ layers: [], config: '{"of":"heavy"}' });
const HEAVY_PATH = `/v2/${REPOSITORY}/referrers/${heavySubject.digest}`;
const SLOW_READERS = 8;
/** MiB of the host for eight readers of 156 MB each. It was 2.4 GB before. */
const MEMORY_MAX_BYTES = 200_000_000;
/** Requests of crane 0.20 and cosign 3. */
const SINGLE_PAGE_AGENT = "cosign/v3.0.0 (linux; amd64) go-containerregistry/v0.20.7";

const cleanUp = new AsyncDisposableStack();
let host: HostProcess;
let home: ClientHome;
let send: Send;
let image: string;

beforeAll(async () => {
  host = cleanUp.use(await spawnHost());
  const password = await host.makeToken({ scopes: "read,write,delete" });
  const registry = new URL(host.url).host;
  image = `${registry}/${REPOSITORY}@${subject.digest}`;
  home = cleanUp.use(await openClientHome(registry, password));
  const credentials = { type: "basic", username: "tester", password } as const;
  send = sendAs({ registry: new URL(host.url), credentials });
  await push(subject);
  const waiting = referrers.values();
  await Promise.all(Array.from({ length: PUSHES_AT_ONCE }, () => pushEach(waiting)));
}, TIMEOUT_MS);
afterAll(() => cleanUp.disposeAsync());

describe("1,700 referrers with 2.5 KB of annotations", () => {
  test.each(["oras-1.2", "oras-1.3"] as const)(
    "%s discovers all",
    async (name) => {
      if (!tools[name]) return;
      const words = ["discover", "--plain-http", "--format", "json", image];
      const { stdout } = await home.run(tools[name], ...words);
      expect(digestsIn(stdout)).toEqual(all);
      const filtered = ["--artifact-type", RARE];
      const rare = await home.run(tools[name], ...words, ...filtered);
      expect(digestsIn(rare.stdout)).toEqual(digestsOf(RARE_AT.map(referrerAt)));
    },
    TIMEOUT_MS,
  );

  test.skipIf(!tools["cosign-3"])(
    "cosign tree shows all",
    async () => {
      const words = ["tree", "--experimental-oci11", image];
      const { output } = await home.run(tools["cosign-3"], ...words);
      const shown = [...output.matchAll(/via OCI referrer: \S+@(sha256:[0-9a-f]{64})/g)];
      expect(new Set(shown.map(([, digest]) => digest))).toEqual(all);
    },
    TIMEOUT_MS,
  );

  test.skipIf(!tools["notation"])(
    "notation ls lists all signatures",
    async () => {
      const words = ["ls", "--insecure-registry", "--max-signatures", "5000", image];
      const { stdout } = await home.run(tools["notation"], ...words);
      expect(digestsIn(stdout)).toEqual(all.difference(digestsOf(RARE_AT.map(referrerAt))));
    },
    TIMEOUT_MS,
  );

  // regclient is not in Debian. Its `referrerListByAPI` sends no `Accept`, and follows `Link`.
  test("a client that follows Link, as regctl does, sees each once while others are pushed", async () => {
    const late = referrerOf(subject, NOTARY, { late: "yes" });
    const pages = await pagesOf(PATH, async (page) => void (page === 1 && (await push(late))));
    expect(pages.map(({ bytes }) => bytes < PAGE_BYTES)).toEqual([true, true]);
    const listed = pages.flatMap(({ digests }) => digests);
    expect(listed).toHaveLength(COUNT + 1);
    expect(new Set(listed)).toEqual(new Set([...all, late.digest]));

    const path = `/v2/${REPOSITORY}/manifests/${late.digest}`;
    expect((await send(path, { method: "DELETE" })).status).toBe(202);
  });

  test("the filter holds in every page, and n makes pages shorter", async () => {
    const query = `?artifactType=${encodeURIComponent(RARE)}&n=2`;
    const pages = await pagesOf(PATH + query);
    expect(pages.map(({ digests }) => digests.length)).toEqual([2, 1]);
    expect(pages.map(({ filters }) => filters)).toEqual(["artifactType", "artifactType"]);
    expect(new Set(pages.flatMap(({ digests }) => digests))).toEqual(
      digestsOf(RARE_AT.map(referrerAt)),
    );
  });

  test.each(["?last=x", "?last=-1", "?n=1.5"])("refuses %s", async (query) => {
    expect((await send(PATH + query)).status).toBe(400);
  });
});

describe("40 referrers with 3.9 MB of annotations", () => {
  beforeAll(async () => {
    await push(heavySubject);
    for (let index = 0; index < HEAVY_COUNT; index += 1) {
      await push(referrerOf(heavySubject, NOTARY, { index: `${index}`, HEAVY }));
    }
  }, TIMEOUT_MS);

  extendedTest(
    "cost little memory, however slowly they are read",
    async () => {
      const first = await send(HEAVY_PATH);
      expect((await first.arrayBuffer()).byteLength).toBeLessThan(PAGE_BYTES);
      expect(first.headers.get("link")).toMatch(/rel="next"$/);

      const before = await memoryOf(host.pid);
      const readers = await Promise.all(
        Array.from({ length: SLOW_READERS }, () => openSlowReader(HEAVY_PATH)),
      );
      await wait(3_000);
      const used = (await memoryOf(host.pid)) - before;
      for (const reader of readers) reader.destroy();
      expect(used).toBeLessThan(MEMORY_MAX_BYTES);
    },
    TIMEOUT_MS,
  );

  test("are one answer for clients that read one page only", async () => {
    const headers = { "user-agent": SINGLE_PAGE_AGENT };
    const answer = await send(HEAVY_PATH, { headers });
    expect(answer.headers.get("link")).toMatch(/rel="next"$/);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(90 * 1024 ** 2);
    expect(bytes.length).toBeLessThan(100 * 1024 ** 2);
    expect(digestsIn(bytes.toString("latin1")).size).toBe(Math.floor(bytes.length / HEAVY.length));
  });
});

type Page = {
  readonly bytes: number;
  readonly digests: readonly string[];
  readonly filters: string | null;
};

async function pagesOf(
  first: string,
  between: (page: number) => Promise<void> = async () => {},
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let path: string | undefined = first;
  while (path !== undefined) {
    const answer: Response = await send(path);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const { manifests } = JSON.parse(text) as { manifests: { digest: string }[] };
    pages.push({
      bytes: Buffer.byteLength(text),
      digests: manifests.map(({ digest }) => digest),
      filters: answer.headers.get("oci-filters-applied"),
    });
    await between(pages.length);
    path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  return pages;
}

function referrerOf(
  { descriptor }: TestManifest,
  artifactType: string,
  annotations: Readonly<Record<string, string>>,
): TestManifest {
  return buildImage({ layers: [], artifactType, subject: descriptor, annotations });
}

async function pushEach(manifests: Iterable<TestManifest>): Promise<void> {
  for (const manifest of manifests) await push(manifest);
}

async function push(manifest: TestManifest): Promise<void> {
  for (const { digest, bytes } of manifest.blobs) {
    const path = `/v2/${REPOSITORY}/blobs/uploads/?digest=${digest}`;
    expect((await send(path, { method: "POST", body: bytes })).status).toBe(201);
  }
  const headers = { "content-type": manifest.mediaType };
  const path = `/v2/${REPOSITORY}/manifests/${manifest.digest}`;
  expect((await send(path, { method: "PUT", headers, body: manifest.bytes })).status).toBe(201);
}

function referrerAt(index: number): TestManifest {
  const referrer = referrers[index];
  if (!referrer) throw new RangeError(`there is no referrer ${index}`);
  return referrer;
}

function digestsOf(manifests: readonly TestManifest[]): Set<string> {
  return new Set(manifests.map(({ digest }) => digest));
}

function digestsIn(text: string): Set<string> {
  const digests = new Set(text.match(/sha256:[0-9a-f]{64}/g));
  digests.delete(subject.digest);
  return digests;
}

/** Reads the beginning of an answer and then nothing. */
async function openSlowReader(path: string): Promise<Socket> {
  const { hostname, port } = new URL(host.url);
  const socket = connect(Number(port), hostname);
  const lines = [`GET ${path} HTTP/1.1`, "Host: localhost", `User-Agent: ${SINGLE_PAGE_AGENT}`];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  expect(head.toString("latin1")).toMatch(/^HTTP\/1.1 200/);
  socket.pause();
  return socket;
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
