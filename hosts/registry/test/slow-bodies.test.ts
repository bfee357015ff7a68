import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { npmArtifact, nugetArtifact, ociArtifact } from "./artifacts.ts";

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let authorization: string;

beforeAll(async () => {
  const env = { Host__BodyRate__BytesPerSecond: "1000000", Host__BodyRate__Window: "00:00:01" };
  host = cleanUp.use(await spawnHost({ env }));
  const token = await host.makeToken({ scopes: "read,write,delete" });
  authorization = `Bearer ${token}`;
  const content = Buffer.from("content");
  const artifacts = [nugetArtifact("Demo", content), npmArtifact("demo", content)];
  for (const artifact of [...artifacts, ociArtifact("acme/app", content)]) {
    expect(await artifact.push(host, token)).toBe(true);
  }
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends a head that announces a body. */
function sendHead({ method, path, headers = {} }: Sent): Socket {
  const { hostname, port } = new URL(host.url);
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  const all = { host: "localhost", "content-length": "1000000", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  return socket;
}

/** Sends a byte of a body again and again, until the host closes the connection. */
async function drip(sent: Sent): Promise<string> {
  const socket = sendHead(sent);
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk)));
  socket.on("error", () => undefined);
  const timer = setInterval(() => socket.write("x"), 100);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(timer);
  return answer;
}

test.each([
  ["GET", "/v3/registration/demo/index.json"],
  ["GET", "/npm/demo"],
  ["GET", "/npm/-/ping"],
  ["GET", "/npm/demo/-/demo-1.0.0.tgz"],
  ["GET", "/v2/acme/app/manifests/1.0"],
  ["HEAD", "/npm/demo"],
  ["GET", "/packages"],
  ["GET", "/health/live"],
])("%s %s closes the connection of a body without end", async (method, path) => {
  // The first read stores the document that later reads answer from.
  const before = await host.fetch(path, { method, headers: { authorization } });
  const sent = { method, path, headers: { authorization } };
  expect(await drip(sent)).toMatch(new RegExp(`^HTTP/1.1 ${before.status} `));
});

const DELETION = { method: "POST", path: "/images/acme/app:1.0/delete" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

test("a deletion form that arrives too slowly gets 408", async () => {
  const answer = await drip({
    ...DELETION,
    headers: { ...FORM, "content-length": "1000", authorization },
  });
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer).toContain("1000000 bytes per second");
});

test("a caller without the right to delete is refused before the form is read", async () => {
  const socket = sendHead({ ...DELETION, headers: FORM });
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 401 /);
  socket.destroy();
});
