import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PrivateAddressError } from "@sealhouse/http-responses/outgoing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createOutgoingFetch } from "./outgoing-fetch.ts";
import { OutgoingProxyError } from "./outgoing-proxy.ts";

const folder = mkdtempSync(join(tmpdir(), "outgoing-proxy-"));
const [keyPath, certPath] = [join(folder, "key.pem"), join(folder, "cert.pem")];
const AUTHORIZATION = "Basic YW5uOnB3";

/** Method, target and `Proxy-Authorization` of the requests that the proxy got. */
const proxied: string[] = [];
/** Headers of the requests that servers got. */
const received: IncomingMessage["headers"][] = [];
const servers: Server[] = [];
let proxyStatus = 200;
let ports = { plain: 0, secure: 0, proxy: 0 };

const answer: RequestListener = (incoming, outgoing) => {
  received.push(incoming.headers);
  incoming.pipe(
    outgoing.writeHead(200, { "x-path": incoming.url, "x-host": incoming.headers.host }),
  );
};

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

/** A forward proxy. It calls this machine, whatever host it is asked for. */
function openProxyStandIn(): Server {
  const note = ({ method, url, headers }: IncomingMessage) =>
    proxied.push(`${method} ${url} ${headers["proxy-authorization"] ?? "-"}`);
  const proxy = createServer((incoming, outgoing) => {
    note(incoming);
    if (proxyStatus !== 200) return void outgoing.writeHead(proxyStatus).end();
    const { "proxy-authorization": _, ...headers } = incoming.headers;
    const { pathname } = new URL(incoming.url ?? "");
    answer(Object.assign(incoming, { headers, url: pathname }), outgoing);
  });
  proxy.on("connect", (incoming: IncomingMessage, socket) => {
    note(incoming);
    if (proxyStatus !== 200) return void socket.end(`HTTP/1.1 ${proxyStatus} No\r\n\r\n`);
    const outside = connect(ports.secure, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      outside.pipe(socket).pipe(outside);
    });
    outside.on("error", () => socket.destroy());
    socket.on("error", () => outside.destroy());
  });
  return proxy;
}

beforeAll(async () => {
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
  const names = ["-subj", "/CN=feed.example", "-addext", "subjectAltName=DNS:feed.example"];
  const files = ["-keyout", keyPath, "-out", certPath];
  execFileSync("openssl", [...request.split(" "), ...names, ...files], { stdio: "ignore" });
  const tls = { key: readFileSync(keyPath), cert: readFileSync(certPath) };
  ports = {
    plain: await listening(createServer(answer)),
    secure: await listening(createSecureServer(tls, answer)),
    proxy: await listening(openProxyStandIn()),
  };
});
beforeEach(() => {
  proxied.length = 0;
  received.length = 0;
  proxyStatus = 200;
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

function open({ port = ports.proxy, allowPrivate = false } = {}): typeof fetch {
  const server = {
    url: new URL(`http://127.0.0.1:${port}`),
    authorization: AUTHORIZATION,
    settings: { address: "The__Url", credentials: "The__Password", exceptions: "No__Proxy" },
  };
  return createOutgoingFetch({
    allowPrivate,
    setting: "Allow__It",
    ca: readFileSync(certPath, "utf8"),
    proxy: { http: server, https: server, noProxy: ["direct.invalid"] },
  });
}

test("https goes through a tunnel, which later requests use again", async () => {
  const call = open();
  for (const body of ["one", "two"]) {
    const response = await call("https://feed.example/x?y", { method: "POST", body });
    expect(await response.text()).toBe(body);
    expect(response.headers.get("x-path")).toBe("/x?y");
    expect(response.headers.get("x-host")).toBe("feed.example");
  }
  expect(proxied).toEqual([`CONNECT feed.example:443 ${AUTHORIZATION}`]);
  expect(JSON.stringify(received)).not.toContain("proxy-authorization");
});

test("the certificate behind a tunnel is that of the server", async () => {
  await expect(open()("https://other.example/")).rejects.toThrow(/altnames/);
});

test("the proxy forwards http, and its credentials stay with it", async () => {
  const response = await open()("http://feed.example:8080/x", { method: "PUT", body: "one" });
  expect(await response.text()).toBe("one");
  expect(response.headers.get("x-host")).toBe("feed.example:8080");
  expect(proxied).toEqual([`PUT http://feed.example:8080/x ${AUTHORIZATION}`]);
});

test("calls go directly to the own machine and to listed hosts, with the same checks", async () => {
  const call = open({ allowPrivate: true });
  expect((await call(`http://127.0.0.1:${ports.plain}/`)).status).toBe(200);
  await expect(call("http://direct.invalid/")).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
  expect(proxied).toEqual([]);
  expect(JSON.stringify(received)).not.toContain("proxy-authorization");
});

test.each(["http://10.1.2.3/", "https://[fd00::1]/", "http://localhost/"])(
  "refuses %s before it asks the proxy",
  async (url) => {
    await expect(open()(url)).rejects.toThrow(PrivateAddressError);
    expect(proxied).toEqual([]);
  },
);

test.each(["https://169.254.169.254/", "http://metadata.google.internal/"])(
  "never asks the proxy for %s, even when private addresses are allowed",
  async (url) => {
    const call = open({ allowPrivate: true })(url);
    await expect(call).rejects.toThrow("is an address of a cloud's metadata service");
    expect(proxied).toEqual([]);
  },
);

test.each([
  ["https://feed.example/", 407, "check The__Password."],
  ["http://feed.example/", 407, "check The__Password."],
  ["https://feed.example/", 403, "or list the host in No__Proxy."],
])("%s has an error when the proxy answers %d", async (url, status, text) => {
  proxyStatus = status;
  const calling = open()(url);
  await expect(calling).rejects.toThrow(OutgoingProxyError);
  await expect(calling).rejects.toThrow(text);
});

test.each(["https://feed.example/", "http://feed.example/"])(
  "%s has an error when the proxy is away",
  async (url) => {
    const calling = open({ port: 1 })(url);
    await expect(calling).rejects.toThrow(OutgoingProxyError);
    await expect(calling).rejects.toThrow(
      "http://127.0.0.1:1 cannot be reached (ECONNREFUSED). Check The__Url.",
    );
  },
);

test.each(["https", "http"])("a caller of %s stops waiting for a silent proxy", async (scheme) => {
  const silent = createServer(() => undefined);
  silent.on("connect", () => undefined);
  const call = open({ port: await listening(silent) });
  const signal = AbortSignal.timeout(100);
  await expect(call(`${scheme}://feed.example/`, { signal })).rejects.toThrow(/aborted/);
  silent.closeAllConnections();
});
