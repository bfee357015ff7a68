import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { NpmLookup, TarballAddress } from "@sealhouse/npm-protocol";
import { tarballOfRequest } from "@sealhouse/npm-protocol";
import { createBlobMemory } from "@sealhouse/storage-providers";
import { afterEach, expect, test, vi } from "vitest";
import { createTarballsAtHand } from "./tarballs-at-hand.ts";

const LARGE_BYTES = 200_000;
const SHA256 = "ab".repeat(32);

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const close of cleanUp.splice(0)) close();
});

async function openServer(sizes: Readonly<Record<string, number>>, missing = 0) {
  const lookup: Pick<NpmLookup, "tarball"> = {
    async tarball(name) {
      const size = sizes[name];
      return size === undefined ? undefined : { key: name, size, sha256: SHA256, integrity: "" };
    },
  };
  const read = vi.fn(async function* (key: string) {
    yield Buffer.alloc((sizes[key] ?? 0) - missing, "x");
  });
  const count = vi.fn<(tarball: TarballAddress) => void>();
  const memory = createBlobMemory({ read }, { bytesMax: 8 * LARGE_BYTES });
  const write = createTarballsAtHand({ lookup, memory, anonymousRead: true, count });
  const server = createServer(async (incoming, outgoing) => {
    const tarball = tarballOfRequest(incoming.url ?? "", "/npm");
    if (tarball && (await write(incoming, outgoing, tarball))) return;
    outgoing.writeHead(299).end("the usual way");
  }).listen(0, "127.0.0.1");
  cleanUp.push(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`;
  return { url, count, memory, read };
}

test("a small tarball goes out with all its headers, and counts", async () => {
  const { url, count } = await openServer({ "@s/demo": 10 });
  const answer = await fetch(`${url}/@s/demo/-/demo-1.0.0.tgz`);
  expect([answer.status, await answer.text()]).toEqual([200, "xxxxxxxxxx"]);
  const shown = ["content-type", "content-length", "cache-control", "etag", "accept-ranges"];
  expect(shown.map((name) => answer.headers.get(name))).toEqual([
    "application/octet-stream",
    "10",
    "public, immutable, max-age=31536000",
    `"${SHA256}"`,
    "bytes",
  ]);
  expect(count.mock.calls).toEqual([[{ name: "@s/demo", version: "1.0.0" }]]);
});

test("parts, heads and what the client has already are answered, and do not count", async () => {
  const { url, count } = await openServer({ demo: 10 });
  const at = `${url}/demo/-/demo-1.0.0.tgz`;
  const part = await fetch(at, { headers: { range: "bytes=7-" } });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 7-9/10"]);
  expect(await part.text()).toBe("xxx");
  expect((await fetch(at, { headers: { range: "bytes=10-" } })).status).toBe(416);
  const head = await fetch(at, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, "10"]);
  expect((await fetch(at, { headers: { "if-none-match": `"${SHA256}"` } })).status).toBe(304);
  expect(count).not.toHaveBeenCalled();
});

test("a large one goes the usual way until it is at hand", async () => {
  const { url, memory, count } = await openServer({ demo: LARGE_BYTES });
  const at = `${url}/demo/-/demo-1.0.0.tgz`;
  expect((await fetch(at)).status).toBe(299);
  const blob = { key: "demo", size: LARGE_BYTES };
  for (let round = 0; round < 2; round += 1) await Array.fromAsync(memory.read(blob));
  const answer = await fetch(at);
  expect([answer.status, (await answer.text()).length]).toEqual([200, LARGE_BYTES]);
  expect(count).toHaveBeenCalledTimes(1);
});

test("what is not there, or not whole, goes the usual way", async () => {
  const { url, count } = await openServer({ demo: 10 }, 1);
  for (const name of ["demo", "other"]) {
    expect((await fetch(`${url}/${name}/-/${name}-1.0.0.tgz`)).status).toBe(299);
  }
  expect((await fetch(`${url}/demo/-/other-1.0.0.tgz`)).status).toBe(299);
  expect(count).not.toHaveBeenCalled();
});
