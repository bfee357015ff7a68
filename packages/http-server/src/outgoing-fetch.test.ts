import dns from "node:dns";
import { once } from "node:events";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import type { AddressInfo, LookupFunction } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MetadataAddressError, PrivateAddressError } from "@sealhouse/http-responses/outgoing";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createOutgoingFetch } from "./outgoing-fetch.ts";

const server = createServer((incoming, outgoing) => {
  if (incoming.url === "/silent") return;
  if (incoming.url === "/away") outgoing.writeHead(302, { location: "http://10.0.0.1/" }).end();
  else incoming.pipe(outgoing.writeHead(200, { "x-method": incoming.method }));
});
let url = "";

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Resolves every name to these addresses. */
function resolve(texts: readonly string[]): void {
  const lookup: LookupFunction = (_name, { all }, callback) => {
    const addresses = texts.map((address) => ({ address, family: isIP(address) }));
    if (all) callback(null, addresses);
    else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
  };
  vi.spyOn(dns, "lookup").mockImplementation(lookup as typeof dns.lookup);
  // `import { lookup }` sees it, too.
  syncBuiltinESMExports();
}

const port = () => new URL(url).port;

const guarded = createOutgoingFetch({ allowPrivate: false });

test.each([
  "http://127.0.0.1/",
  "http://localhost:1/",
  "http://10.1.2.3/",
  "http://[::1]/",
  "http://[::ffff:10.0.0.1]/",
  "http://[::10.0.0.1]/",
  "http://[64:ff9b:1::a00:1]/",
  "http://[2002:a00:1::]/",
  "http://[2001:0:a00:1::]/",
  "http://[fd00::1]/",
  "http://[fec0::1]/",
  "http://2130706433/",
  "http://0x7f.1/",
])("does not call %s", async (target) => {
  await expect(guarded(target)).rejects.toThrow(PrivateAddressError);
});

test.each([
  "http://169.254.169.254/latest/meta-data",
  "http://[::ffff:169.254.169.254]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://168.63.129.16/metadata",
  "http://metadata.google.internal./computeMetadata/v1/",
])("never calls %s, even when private addresses are allowed", async (target) => {
  for (const allowPrivate of [true, false]) {
    await expect(createOutgoingFetch({ allowPrivate })(target)).rejects.toThrow(
      MetadataAddressError,
    );
  }
});

test.each([[["169.254.169.254"]], [["127.0.0.1", "::ffff:a9fe:a9fe"]], [["fd00:ec2::254"]]])(
  "never calls a name with the addresses %s, even when private addresses are allowed",
  async (addresses) => {
    resolve(addresses);
    const allowed = createOutgoingFetch({ allowPrivate: true });
    await expect(allowed("http://name.example/")).rejects.toThrow(MetadataAddressError);
  },
);

test.each([
  [["10.0.0.1"]],
  [["2600::1", "10.0.0.1"]],
  [["::ffff:127.0.0.1"]],
  [["64:ff9b::7f00:1"]],
  [["fe80::1"]],
])("does not call a name with the addresses %s", async (addresses) => {
  resolve(addresses);
  await expect(guarded("http://name.example/")).rejects.toThrow(PrivateAddressError);
});

test("uses no connection to a private address that others have left open", async () => {
  resolve(["127.0.0.1"]);
  const target = `http://inside.example:${port()}/x`;
  const allowed = await createOutgoingFetch({ allowPrivate: true })(target);
  expect(await allowed.text()).toBe("");
  // The connection is kept from the next turn on.
  await new Promise((done) => void setTimeout(done, 20));
  await expect(guarded(target)).rejects.toThrow(PrivateAddressError);
});

test("calls a private address when that is allowed, with body and headers", async () => {
  const allowed = createOutgoingFetch({ allowPrivate: true });
  const answer = await allowed(`${url}/x`, { method: "POST", body: "hello" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-method")).toBe("POST");
  expect(await answer.text()).toBe("hello");
});

test("sends a stream as it comes, and ends when the stream breaks", async () => {
  const allowed = createOutgoingFetch({ allowPrivate: true });
  const send = (body: AsyncIterable<Uint8Array>) =>
    allowed(`${url}/x`, { method: "PUT", body: ReadableStream.from(body), duplex: "half" });
  const answer = await send(chunks("one ", "two"));
  expect(await answer.text()).toBe("one two");
  await expect(send(breaking()).then((begun) => begun.text())).rejects.toThrow();
});

test("stops waiting for a silent server in time, even after a garbage collection", async () => {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new TypeError("this Node has no gc");
  const collecting = setInterval(() => void collect(), 20);
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(300), new AbortController().signal]);
    const calling = createOutgoingFetch({ allowPrivate: true })(`${url}/silent`, { signal });
    await expect(calling).rejects.toThrow(/aborted/);
  } finally {
    clearInterval(collecting);
  }
});

test("follows no redirect", async () => {
  const answer = await createOutgoingFetch({ allowPrivate: true })(`${url}/away`);
  expect(answer.status).toBe(302);
});

test("stops when the caller gives up", async () => {
  const allowed = createOutgoingFetch({ allowPrivate: true });
  const response = allowed(`${url}/x`, { signal: AbortSignal.abort() });
  await expect(response).rejects.toThrow();
});

test.each(["file:///etc/passwd", "data:text/plain,x"])("does not open %s", async (target) => {
  await expect(guarded(target)).rejects.toThrow(/this host does not call/);
});

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

async function* breaking() {
  yield Buffer.from("one");
  await Promise.resolve();
  throw new Error("the source is gone");
}
