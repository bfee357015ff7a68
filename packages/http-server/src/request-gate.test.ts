import { expect, test } from "vitest";
import type { RequestConnection } from "./request-connection.ts";
import { createRequestContexts } from "./request-context.ts";
import { createRequestGate } from "./request-gate.ts";
import type { GateOptions } from "./request-gate.ts";

type Sent = { readonly host?: string; readonly protocol?: "http" | "https" } & Record<
  string,
  string
>;

function statusOf(
  sent: Sent,
  options: Partial<GateOptions> & { readonly method?: string; readonly url?: string } = {},
): number | undefined {
  const { method = "POST", url = "/", publicBaseUrls = [], hostNames = [], ...rest } = options;
  const { host = "localhost:8080", protocol = "http", ...headers } = sent;
  const connection: RequestConnection = {
    host,
    protocol,
    peer: "127.0.0.1",
    header: (name) => headers[name],
  };
  const segments = [
    { name: "acme", hostNames: hostNames.filter((hostName) => hostName.startsWith("oci")) },
  ];
  const contexts = createRequestContexts({
    trustedProxies: ["127.0.0.1"],
    publicBaseUrls,
    hostNames: { npm: hostNames.filter((hostName) => hostName.startsWith("npm")), segments },
  });
  const publicAddressOf = (client: RequestConnection) => contexts.publicAddressOf(client);
  const common = { publicBaseUrls, hostNames, publicAddressOf };
  const gate = createRequestGate({ development: false, loopbackOnly: false, ...common, ...rest });
  return gate({ method, url }, connection)?.status;
}

const PRODUCTION = {
  publicBaseUrls: ["https://packages.example/sub", "http://packages.internal:8080"],
  hostNames: ["npm.example", "oci.example"],
};
const DEVELOPMENT = { development: true, loopbackOnly: true };

test.each([
  [{ host: "packages.example" }, "a package client"],
  [{ origin: "https://packages.example" }, "our own form"],
  [
    { origin: "https://packages.example", "sec-fetch-site": "same-origin" },
    "our own form, by https",
  ],
  [{ origin: "http://packages.internal:8080" }, "our own form at another address of ours"],
  [{ "sec-fetch-site": "none" }, "a person at the address bar"],
  [{ host: "npm.example", origin: "https://npm.example" }, "a form at npm's host name"],
  [{ host: "oci.example", origin: "https://oci.example" }, "a form at a segment's host name"],
] as [Sent, string][])("accepts %j: %s", (sent, _who) => {
  expect(statusOf(sent, PRODUCTION)).toBeUndefined();
});

test.each([
  [{ origin: "https://evil.example" }],
  [{ origin: "null" }],
  [{ origin: "" }],
  [{ origin: "http://packages.example" }],
  [{ origin: "https://packages.example:8443" }],
  [{ origin: "https://packages.example.evil" }],
  [{ origin: "https://npm.example" }],
  [{ host: "npm.example", origin: "https://npm.example:8443" }],
  [{ host: "evil.example", origin: "http://evil.example" }],
  [{ host: "localhost:8080", origin: "http://localhost:8080" }],
  [{ "sec-fetch-site": "cross-site" }],
  [{ "sec-fetch-site": "same-site" }],
  [{ origin: "https://packages.example", "sec-fetch-site": "same-site" }],
])("refuses %j", (sent) => {
  expect(statusOf(sent, PRODUCTION)).toBe(403);
});

test.each(["GET", "HEAD", "OPTIONS"])("accepts %s from every origin", (method) => {
  const sent = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect(statusOf(sent, { ...PRODUCTION, method })).toBeUndefined();
});

test("refuses a read of another site that changes something", () => {
  const isChangingRead = (url: string) => url === "/token?offline";
  const options = { ...PRODUCTION, method: "GET", isChangingRead };
  const change = { ...options, url: "/token?offline" };
  for (const sent of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
    expect(statusOf(sent, change)).toBe(403);
    expect(statusOf(sent, { ...options, url: "/token" })).toBeUndefined();
    expect(statusOf(sent, { ...change, method: "OPTIONS" })).toBeUndefined();
  }
  for (const sent of [{}, { "sec-fetch-site": "none" }, { origin: "https://packages.example" }]) {
    expect(statusOf(sent, change)).toBeUndefined();
  }
});

test.each(["PUT", "POST", "DELETE", "PATCH", "MKCOL", "get"])(
  "%s may change something",
  (method) => {
    expect(statusOf({ origin: "https://evil.example" }, { ...PRODUCTION, method })).toBe(403);
  },
);

test.each([
  [{ host: "localhost:8080", origin: "http://localhost:8080" }, undefined],
  [{ host: "127.0.0.1:8080", origin: "http://127.0.0.1:8080" }, undefined],
  [{ host: "[::1]:8080", origin: "http://[::1]:8080" }, undefined],
  [{ host: "localhost:8080", origin: "http://localhost:3000" }, 403],
  [{ host: "localhost:8080", origin: "http://127.0.0.1:8080" }, 403],
  [{ host: "localhost:99999", origin: "http://localhost:99999" }, 403],
])("in Development, without configured addresses: %j is %s", (sent, status) => {
  expect(statusOf(sent, DEVELOPMENT)).toBe(status);
});

test("without configured addresses no form is our own in Production", () => {
  expect(statusOf({ host: "localhost:8080", origin: "http://localhost:8080" })).toBe(403);
  expect(statusOf({ host: "feed.example", origin: "http://feed.example" }, DEVELOPMENT)).toBe(421);
  const open = { development: true, loopbackOnly: false };
  expect(statusOf({ host: "feed.example", origin: "http://feed.example" }, open)).toBe(403);
});

test.each([
  ["localhost:8080", undefined],
  ["LOCALHOST", undefined],
  ["app.localhost:8080", undefined],
  ["127.0.0.1:8080", undefined],
  ["127.1.2.3", undefined],
  ["[::1]:8080", undefined],
  ["packages.internal:9999", undefined],
  ["npm.example", undefined],
  ["", undefined],
  ["evil.example:8080", 421],
  ["127.0.0.1.evil.example", 421],
  ["localhost.evil.example", 421],
  ["10.0.0.1", 421],
  ["[::2]", 421],
  ["localhost@evil.example", 421],
])("a host that listens on loopback in Development answers %j with %s", (host, status) => {
  const options = { ...DEVELOPMENT, ...PRODUCTION, method: "GET" };
  expect(statusOf({ host }, options)).toBe(status);
});

test("other hosts answer by every name", () => {
  for (const options of [{ development: true }, { loopbackOnly: true }]) {
    expect(statusOf({ host: "evil.example" }, { ...options, method: "GET" })).toBeUndefined();
  }
});
