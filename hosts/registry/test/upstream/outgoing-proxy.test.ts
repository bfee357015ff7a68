import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import type { ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnCli, spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { addSource } from "./add-source.ts";

/** No resolver knows this name, only the proxy does. */
const SOURCE = "http://registry.invalid/";
const AUTHORIZATION = `Basic ${Buffer.from("ann:secret-word").toString("base64")}`;

const proxied: string[] = [];
let upstream: ScriptedRegistry;
let host: TestHost;

/** A forward proxy that sends requests for `SOURCE` to the scripted registry. */
const proxyStandIn = createServer((incoming, outgoing) => {
  proxied.push(`${incoming.method} ${incoming.url}`);
  const { "proxy-authorization": authorization, ...headers } = incoming.headers;
  if (authorization !== AUTHORIZATION) return void outgoing.writeHead(407).end();
  const target = new URL((incoming.url ?? "").replace(SOURCE, upstream.url));
  const forwarded = request(target, { method: incoming.method, headers }, (answer) =>
    answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers)),
  );
  incoming.pipe(forwarded);
});

beforeAll(async () => {
  await once(proxyStandIn.listen(0, "127.0.0.1"), "listening");
  upstream = await openScriptedRegistry();
  upstream.publish("left-pad", "1.0.0");
  upstream.change("left-pad", ({ versions }) => {
    Object.assign(versions["1.0.0"]?.dist ?? {}, {
      tarball: `${SOURCE}left-pad/-/left-pad-1.0.0.tgz`,
    });
  });
  host = await spawnHost({ env: { Signing__Mode: "", ...proxySettings("secret-word") } });
  const settings = { allowPrivateNetwork: false };
  await addSource(host, { name: "far", protocol: "npm", url: SOURCE, settings });
});
afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
  proxyStandIn.closeAllConnections();
  proxyStandIn.close();
});

function proxySettings(password: string): Record<string, string> {
  return {
    Host__OutgoingProxy__Url: `http://127.0.0.1:${(proxyStandIn.address() as AddressInfo).port}`,
    Host__OutgoingProxy__Username: "ann",
    Host__OutgoingProxy__Password: password,
  };
}

test("a host behind a proxy mirrors through it", async () => {
  const tarball = await host.fetch("/npm/left-pad/-/left-pad-1.0.0.tgz");
  expect(tarball.status).toBe(200);
  await tarball.arrayBuffer();
  expect(proxied).toEqual([`GET ${SOURCE}left-pad`, `GET ${SOURCE}left-pad/-/left-pad-1.0.0.tgz`]);
  expect(upstream.headers.map((headers) => headers.host)).toEqual([
    "registry.invalid",
    "registry.invalid",
  ]);
  expect(JSON.stringify(upstream.headers)).not.toContain("proxy-authorization");
});

test("commands without own settings use the proxy of the environment", async () => {
  proxied.length = 0;
  const HTTP_PROXY = proxySettings("")["Host__OutgoingProxy__Url"]?.replace(
    "//",
    "//ann:secret-word@",
  );
  const tested = await spawnCli(["source", "test", "far"], {
    folder: host.folder,
    env: { HTTP_PROXY: HTTP_PROXY ?? "" },
  });
  expect(tested.code, tested.stderr).toBe(0);
  expect(proxied).not.toEqual([]);
});

test("commands use the proxy, and explain what it refuses", async () => {
  expect((await host.cli("source", "test", "far")).code).toBe(0);
  const env = proxySettings("wrong-word");
  const refused = await spawnCli(["source", "test", "far"], { folder: host.folder, env });
  expect(refused.code).toBe(1);
  expect(refused.stdout + refused.stderr).toContain("check Host__OutgoingProxy__Username");
  expect(refused.stdout + refused.stderr).not.toContain("wrong-word");
});
