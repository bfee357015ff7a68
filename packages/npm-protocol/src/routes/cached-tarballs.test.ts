import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { NpmLookup } from "../ports.ts";
import { readOfRequest } from "./read-of-request.ts";
import type { TarballAddress } from "./tarball.ts";
import { afterEach, expect, test, vi } from "vitest";
import { createCachedTarballs } from "./cached-tarballs.ts";

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
  const read = (key: string) => Buffer.alloc((sizes[key] ?? 0) - missing, "x");
  const count = vi.fn<(tarball: TarballAddress) => void>();
  const cached = new Set<string>();
  const bytesOf = async ({ key, size }: { readonly key: string; readonly size: number }) =>
    size === LARGE_BYTES && !cached.has(key) ? undefined : read(key);
  const write = createCachedTarballs({ lookup, bytesOf, anonymousRead: true, count });
  const server = createServer(async (incoming, outgoing) => {
    const wanted = readOfRequest(incoming.url ?? "", undefined, { basePath: "/npm", base: "" });
    if (wanted?.type === "tarball" && (await write(incoming, outgoing, wanted.tarball))) return;
    outgoing.writeHead(299).end("the usual way");
  }).listen(0, "127.0.0.1");
  cleanUp.push(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`;
  return { url, count, cached };
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

test("answers parts, heads and current copies, and does not count them", async () => {
  const { url, count } = await openServer({ demo: 10 });
  const tarballUrl = `${url}/demo/-/demo-1.0.0.tgz`;
  const part = await fetch(tarballUrl, { headers: { range: "bytes=7-" } });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 7-9/10"]);
  expect(await part.text()).toBe("xxx");
  expect((await fetch(tarballUrl, { headers: { range: "bytes=10-" } })).status).toBe(416);
  const head = await fetch(tarballUrl, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, "10"]);
  expect((await fetch(tarballUrl, { headers: { "if-none-match": `"${SHA256}"` } })).status).toBe(
    304,
  );
  expect(count).not.toHaveBeenCalled();
});

test("a large tarball takes the usual way until it is in memory", async () => {
  const { url, cached, count } = await openServer({ demo: LARGE_BYTES });
  const tarballUrl = `${url}/demo/-/demo-1.0.0.tgz`;
  expect((await fetch(tarballUrl)).status).toBe(299);
  cached.add("demo");
  const answer = await fetch(tarballUrl);
  expect([answer.status, (await answer.text()).length]).toEqual([200, LARGE_BYTES]);
  expect(count).toHaveBeenCalledTimes(1);
});

test("forwards missing and incomplete tarballs to the router", async () => {
  const { url, count } = await openServer({ demo: 10 }, 1);
  for (const name of ["demo", "other"]) {
    expect((await fetch(`${url}/${name}/-/${name}-1.0.0.tgz`)).status).toBe(299);
  }
  expect((await fetch(`${url}/demo/-/other-1.0.0.tgz`)).status).toBe(299);
  expect(count).not.toHaveBeenCalled();
});
