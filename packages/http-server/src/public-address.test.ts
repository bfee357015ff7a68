import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import type { RequestConnection } from "./request-connection.ts";
import { createRequestContexts } from "./request-context.ts";
import type { OwnedHostNames } from "./public-address.ts";
import type { RequestContext } from "./request-context.ts";

const LOOPBACK = ["127.0.0.0/8", "::1"];

function connection(
  over: Partial<RequestConnection> & { headers?: Record<string, string> } = {},
): RequestConnection {
  const { headers = {}, ...rest } = over;
  return {
    protocol: "http",
    host: "feed.example:8080",
    peer: "127.0.0.1",
    header: (name) => headers[name],
    ...rest,
  };
}

const newIncoming = () => new IncomingMessage(new Socket());

function contextOf(
  over: Parameters<typeof connection>[0],
  options: {
    trustedProxies?: string[];
    publicBaseUrls?: string[];
    hostNames?: OwnedHostNames;
  } = {},
): RequestContext {
  const { trustedProxies = LOOPBACK, publicBaseUrls = [], hostNames = {} } = options;
  const contexts = createRequestContexts({ trustedProxies, publicBaseUrls, hostNames });
  return contexts.ofIncoming(newIncoming(), connection(over));
}

const FORWARDED = {
  "x-forwarded-proto": "https",
  "x-forwarded-host": "public.example",
  "x-forwarded-prefix": "/feed/",
  "x-forwarded-for": "203.0.113.9",
  "x-request-id": "trace-1",
};

test("without a configuration the request itself determines the public address", () => {
  expect(contextOf({}).publicAddress.base).toBe("http://feed.example:8080");
  expect(contextOf({ protocol: "https", host: "Feed.example:443" }).publicAddress.base).toBe(
    "https://feed.example",
  );
});

test("believes a trusted proxy", () => {
  const context = contextOf({ headers: FORWARDED });
  expect(context.publicAddress.base).toBe("https://public.example/feed");
  expect(context.address).toBe("203.0.113.9");
  expect(context.id).toBe("trace-1");
});

test.each([
  ["/team@acme", "/team@acme"],
  ["/team%40acme/a+b:c/", "/team%40acme/a+b:c"],
  ["/a%2Fb", ""],
  ["/a%0db", ""],
  ["/%2e%2e/x", ""],
  ["/a b", ""],
  ["//evil.example", ""],
  ["/'", ""],
])("the prefix %j of a trusted proxy is the path %j", (prefix, path) => {
  const headers = { ...FORWARDED, "x-forwarded-prefix": prefix };
  expect(contextOf({ headers }).publicAddress.base).toBe(`https://public.example${path}`);
});

test("ignores forwarded headers of untrusted peers", () => {
  const context = contextOf({ peer: "203.0.113.7", headers: FORWARDED });
  expect(context.publicAddress.base).toBe("http://feed.example:8080");
  expect(context.address).toBe("203.0.113.7");
  expect(context.id).not.toBe("trace-1");
});

test.each([
  ["203.0.113.9, 10.1.1.1", ["10.0.0.0/8", "127.0.0.1"], "203.0.113.9"],
  ["1.2.3.4, 203.0.113.9, 10.1.1.1", ["10.0.0.0/8", "127.0.0.1"], "203.0.113.9"],
  ["1.2.3.4, 203.0.113.9", ["127.0.0.1"], "203.0.113.9"],
  ["nonsense", ["127.0.0.1"], "127.0.0.1"],
  ["10.1.1.1, 10.2.2.2", ["10.0.0.0/8", "127.0.0.1"], "10.1.1.1"],
  ["[2001:db8::1]:4711", ["127.0.0.1"], "2001:db8::1"],
  ["203.0.113.9:5555", ["127.0.0.1"], "203.0.113.9"],
])("X-Forwarded-For %j behind %j is %s", (header, trustedProxies, expected) => {
  const headers = { "x-forwarded-for": header };
  expect(contextOf({ headers }, { trustedProxies }).address).toBe(expected);
});

test("recognises an IPv4 proxy on an IPv6 socket", () => {
  const context = contextOf({ peer: "::ffff:127.0.0.1", headers: FORWARDED });
  expect(context.address).toBe("203.0.113.9");
});

test("of several values the one the nearest proxy wrote counts", () => {
  const headers = { "x-forwarded-host": "evil.example, public.example" };
  expect(contextOf({ headers }).publicAddress.base).toBe("http://public.example");
});

test.each(["a b", "x/../y", "evil.example/path", "<script>", "user@host", ""])(
  "the host %j never gets into a link",
  (host) => {
    expect(contextOf({ host }).publicAddress.base).toBe("http://localhost");
  },
);

test.each([
  ["one.example", "http", "https://one.example"],
  ["two.example", "http", "https://two.example/sub"],
  ["two.example", "https", "https://two.example/sub"],
  ["three.example:8080", "http", "http://three.example:8080"],
  ["elsewhere.example", "http", "https://one.example"],
])("with configured addresses %s by %s gets %s", (host, protocol, expected) => {
  const publicBaseUrls = [
    "https://one.example",
    "https://two.example/sub",
    "http://three.example:8080",
  ];
  const context = contextOf(
    { host, protocol: protocol === "https" ? "https" : "http" },
    { publicBaseUrls },
  );
  const npm = `${expected}/npm`;
  expect(context.publicAddress).toEqual({ base: expected, npm, npmAtRoot: false, cacheable: true });
});

const NPM_HOSTS = {
  publicBaseUrls: ["https://packages.example/sub"],
  hostNames: {
    npm: ["npm.example", "npm.internal"],
    segments: [{ name: "acme", hostNames: ["images.example"] }],
  },
};

test.each([
  ["images.example", {}, "https://images.example"],
  ["Images.Example:8443", {}, "https://images.example:8443"],
  ["10.1.1.1:8080", { "x-forwarded-host": "images.example" }, "https://images.example"],
  ["images.example", { "x-forwarded-proto": "http" }, "http://images.example"],
])("by a host name of a segment's own, %s with %j, it is at the root", (host, headers, own) => {
  const { publicAddress } = contextOf({ host, headers }, NPM_HOSTS);
  const base = "https://packages.example/sub";
  expect(publicAddress).toEqual({
    base,
    npm: `${base}/npm`,
    npmAtRoot: false,
    oci: { segment: "acme", base: own },
    cacheable: !own.endsWith(":8443"),
  });
});

test("only a trusted proxy may claim that a request came by a segment's host name", () => {
  const from = { peer: "203.0.113.7", headers: { "x-forwarded-host": "images.example" } };
  expect(contextOf(from, NPM_HOSTS).publicAddress.oci).toBeUndefined();
});

test.each([
  ["npm.example", {}, "https://npm.example"],
  ["NPM.Internal:443", {}, "https://npm.internal"],
  ["npm.example:8443", {}, "https://npm.example:8443"],
  ["npm.example", { "x-forwarded-proto": "http" }, "http://npm.example"],
  ["10.1.1.1:8080", { "x-forwarded-host": "npm.example" }, "https://npm.example"],
  ["npm.example", { "x-forwarded-prefix": "/feed" }, "https://npm.example/feed"],
])("by a host name of npm's own, %s with %j, npm is at its root", (host, headers, npm) => {
  const { publicAddress } = contextOf({ host, headers }, NPM_HOSTS);
  const base = "https://packages.example/sub";
  const cacheable = /^https?:\/\/npm\.(?:example|internal)$/.test(npm);
  expect(publicAddress).toEqual({ base, npm, npmAtRoot: true, cacheable });
});

test.each(["packages.example", "x.npm.example", "npm.example.evil", "npm.example:x", ""])(
  "%j is not a host name of npm",
  (host) => {
    const { npmAtRoot, npm } = contextOf({ host }, NPM_HOSTS).publicAddress;
    expect([npmAtRoot, npm]).toEqual([false, "https://packages.example/sub/npm"]);
  },
);

test("only a trusted proxy may claim that a request came by a host name of npm", () => {
  const from = { peer: "203.0.113.7", headers: { "x-forwarded-host": "npm.example" } };
  expect(contextOf(from, NPM_HOSTS).publicAddress.npmAtRoot).toBe(false);
});

test("distinguishes http from a missing scheme, at the same host name", () => {
  const contexts = createRequestContexts({ trustedProxies: LOOPBACK, ...NPM_HOSTS });
  const npm = (headers: Record<string, string>) =>
    contexts.ofIncoming(newIncoming(), connection({ host: "npm.example", headers })).publicAddress
      .npm;
  expect(npm({})).toBe("https://npm.example");
  expect(npm({ "x-forwarded-proto": "http" })).toBe("http://npm.example");
});

test("keeps documents of a host name at its own port and at that of the main address", () => {
  const publicBaseUrls = ["https://packages.example:8443"];
  const contexts = createRequestContexts({
    trustedProxies: LOOPBACK,
    ...NPM_HOSTS,
    publicBaseUrls,
  });
  const cacheable = (host: string) =>
    contexts.ofIncoming(newIncoming(), connection({ host })).publicAddress.cacheable;
  expect(cacheable("npm.example")).toBe(true);
  expect(cacheable("npm.example:8443")).toBe(true);
  expect(cacheable("npm.example:8444")).toBe(false);
});

/** Without configured addresses. */
function seenBy(options: Partial<Parameters<typeof createRequestContexts>[0]> = {}) {
  const contextOptions = { trustedProxies: LOOPBACK, publicBaseUrls: [], ...options };
  const contexts = createRequestContexts(contextOptions);
  const context = (host: string) => contexts.ofIncoming(newIncoming(), connection({ host }));
  return {
    cacheable: (host: string) => context(host).publicAddress.cacheable,
    signIn: (host: string) => contexts.confirmAddress(context(host)),
    isLasting: (url: string) => contexts.isLastingAddress(url),
  };
}

test("documents outlive the process for configured and loopback addresses only", () => {
  const { cacheable, signIn, isLasting } = seenBy({ believesLoopback: true });
  for (let index = 1; index <= 100; index += 1) {
    signIn(`h${index}.example`);
    expect(cacheable(`h${index}.example`)).toBe(true);
    expect(isLasting(`http://h${index}.example/npm`)).toBe(false);
    signIn(`localhost:${index}`);
    cacheable(`localhost:${index}`);
  }
  const ports = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(ports.filter((port) => isLasting(`http://localhost:${port}`))).toHaveLength(8);
  const configured = seenBy({ publicBaseUrls: ["https://feed.example/sub"] });
  configured.cacheable("other.example");
  expect(configured.isLasting("https://feed.example/sub/npm")).toBe(true);
  expect(configured.isLasting("https://feed.example")).toBe(false);
  expect(configured.isLasting("https://feed.example/subordinate")).toBe(false);
});

test("keeps documents for addresses of callers with a token", () => {
  const { cacheable, signIn } = seenBy();
  expect(cacheable("feed.example")).toBe(false);
  for (let index = 0; index < 1_000; index += 1) cacheable(`made-up-${index}.example`);
  signIn("feed.example");
  for (let index = 0; index < 1_000; index += 1) cacheable(`made-up-${index}.example`);
  expect(cacheable("feed.example")).toBe(true);
  expect(cacheable("made-up-1.example")).toBe(false);
});

test("of such addresses the eight that were used last stay", () => {
  const { cacheable, signIn } = seenBy();
  for (let index = 1; index <= 8; index += 1) signIn(`h${index}.example`);
  expect(cacheable("h1.example")).toBe(true);
  signIn("h9.example");
  expect([cacheable("h1.example"), cacheable("h2.example"), cacheable("h9.example")]).toEqual([
    true,
    false,
    true,
  ]);
});

test("loopback addresses need no token where the host believes them", () => {
  expect(seenBy().cacheable("localhost:8080")).toBe(false);
  const { cacheable } = seenBy({ believesLoopback: true });
  expect(["localhost:8080", "127.0.0.1", "[::1]:80"].map(cacheable)).toEqual([true, true, true]);
  expect(cacheable("localhost.example")).toBe(false);
  for (let port = 1; port <= 100; port += 1) cacheable(`localhost:${port}`);
  expect(["localhost:8080", "localhost:100"].map(cacheable)).toEqual([true, false]);
});

test.each(["", "a b", "x\ny", "a".repeat(129), "-x"])("replaces the request id %j", (id) => {
  expect(contextOf({ headers: { "x-request-id": id } }).id).not.toBe(id);
});

test("one request has one context", () => {
  const contexts = createRequestContexts({ trustedProxies: LOOPBACK, publicBaseUrls: [] });
  const request = new Request("http://feed.example/v3/index.json");
  expect(contexts.of(request, undefined)).toBe(contexts.of(request, {}));
});
