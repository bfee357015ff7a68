import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { ociArtifact } from "./artifacts.ts";

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
/** A token for everything, and a token for the segment only. */
let writer: string;
let acme: string;

beforeAll(async () => {
  const env = {
    // On loopback alone it would not answer by foreign names.
    ASPNETCORE_URLS: "http://+:0",
    Feed__Authentication__AllowAnonymousPull: "false",
    Feed__PublicBaseUrls__0: "http://packages.example/feed",
    Feed__Oci__Acme__Enabled: "true",
    Feed__Oci__Acme__HostNames__0: "acme.example",
    Feed__Oci__Tools__Enabled: "true",
  };
  host = cleanUp.use(await startHost({ env }));
  writer = await host.makeToken({ scopes: "read,write" });
  acme = await host.makeToken({ scopes: "read,write", patterns: "acme/**" });
  for (const name of ["acme/app", "tools/hammer", "plain"]) {
    expect(await ociArtifact(name, Buffer.from(name)).push(host, writer)).toBe(true);
  }
});
afterAll(() => cleanUp.disposeAsync());

const basic = (token: string) => ({
  authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}`,
});

type Answer = { readonly status: number; readonly headers: Headers; readonly body: string };

/** Uses another host name than the one of the address. */
function ask(name: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(`${host.url}${path}`, { headers: { ...headers, host: name } });
    clientRequest.once("error", reject);
    clientRequest.once("response", (answer) => {
      answer.setEncoding("utf8");
      void answer.toArray().then((parts) => {
        const all = Object.entries(answer.headers).map(([key, value]) => [key, String(value)]);
        const { statusCode: status = 0 } = answer;
        const answerHeaders = new Headers(all as [string, string][]);
        resolve({ status, headers: answerHeaders, body: parts.join("") });
      }, reject);
    });
    clientRequest.end();
  });
}

const CATALOGS = [
  ["packages.example", "/v2/_catalog", ["acme/app", "plain", "tools/hammer"]],
  ["packages.example", "/acme/v2/_catalog", ["app"]],
  ["packages.example", "/tools/v2/_catalog", ["hammer"]],
  ["acme.example", "/v2/_catalog", ["app"]],
] as const;

test.each(CATALOGS)("%s%s lists the existing versions", async (name, path, repositories) => {
  const all = await ask(name, path, basic(writer));
  expect(JSON.parse(all.body)).toEqual({ repositories });
  const own = await ask(name, path, basic(acme));
  const readable = repositories.filter((repository) => /^(?:acme\/)?app$/.test(repository));
  expect(JSON.parse(own.body)).toEqual({ repositories: readable });
});

test.each([
  ["packages.example", "/v2/", "http://packages.example/feed/token"],
  ["packages.example", "/acme/v2/", "http://packages.example/feed/acme/token"],
  ["evil.example", "/tools/v2/", "http://packages.example/feed/tools/token"],
  ["acme.example", "/v2/", "http://acme.example/token"],
  ["acme.example:8443", "/v2/", "http://acme.example:8443/token"],
])("%s%s sends clients to %s", async (name, path, realm) => {
  const answer = await ask(name, path);
  expect(answer.status).toBe(401);
  const challenge = answer.headers.get("www-authenticate") ?? "";
  expect(challenge).toBe(`Bearer realm="${realm}",service="default"`);
});

test("a token of a segment's token service works at the host names of that segment", async () => {
  const scope = "repository:app:pull,push repository:plain:pull";
  const path = `/acme/token?service=default&scope=${encodeURIComponent(scope)}`;
  const issued = await ask("packages.example", path, basic(acme));
  const { token } = JSON.parse(issued.body) as { token: string };
  const bearer = { authorization: `Bearer ${token}` };
  const status = async (...[name, requestPath]: [string, string]) =>
    (await ask(name, requestPath, bearer)).status;
  expect(await status("packages.example", "/acme/v2/app/tags/list")).toBe(200);
  expect(await status("packages.example", "/v2/acme/app/tags/list")).toBe(200);
  expect(await status("acme.example", "/v2/app/tags/list")).toBe(200);
  expect(await status("packages.example", "/v2/plain/tags/list")).toBe(403);
});

test("a host name of a segment serves nothing else", async () => {
  for (const path of ["/", "/v3/index.json", "/health", "/api/v2/package", "/tools/x"]) {
    expect((await ask("acme.example", path, basic(writer))).status).toBe(404);
  }
});

test("absent and forbidden names have the same answer", async () => {
  for (const headers of [{}, basic(acme)]) {
    const [there, missing] = await Promise.all(
      ["plain", "nowhere"].map((name) => ask("packages.example", `/v2/${name}/tags/list`, headers)),
    );
    expect(there?.status).toBe(missing?.status);
    expect(there?.body.replaceAll("plain", "nowhere")).toBe(missing?.body);
    const challenge = there?.headers.get("www-authenticate")?.replaceAll("plain", "nowhere");
    expect(challenge).toBe(missing?.headers.get("www-authenticate") ?? undefined);
  }
});

test("health and metrics tell the surfaces apart", async () => {
  const health = await host.fetch("/health/feeds");
  const { surfaces } = (await health.json()) as { surfaces: { surfaceId: string }[] };
  expect(surfaces.filter(({ surfaceId }) => surfaceId.startsWith("oci"))).toEqual([
    {
      surfaceId: "oci-default",
      protocol: "Oci",
      ociSegment: null,
      routePrefix: "",
      status: "ready",
    },
    ...["acme", "tools"].map((name) => ({
      surfaceId: `oci-${name}`,
      protocol: "Oci",
      ociSegment: name,
      routePrefix: `/${name}`,
      status: "ready",
    })),
  ]);
  const metrics = await (await host.fetch("/metrics")).text();
  for (const segment of ["default", "acme", "tools"]) {
    expect(metrics).toContain(`oci_segment_push_total{feed="default",segment="${segment}"} 1\n`);
  }
  expect(metrics).toContain('feed_push_total{feed="default",type="oci"} 3\n');
});

test("limits password guesses by GET and by POST", async () => {
  const guess = basic("shp_wrong");
  let last = await ask("packages.example", "/token?service=default", guess);
  expect(last.status).toBe(401);
  for (let n = 0; n < 40 && last.status === 401; n += 1) {
    last = await ask("packages.example", "/token?service=default", guess);
  }
  expect(last.status).toBe(429);
  expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(JSON.parse(last.body)).toMatchObject({ errors: [{ code: "TOOMANYREQUESTS" }] });
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: "guess" });
  expect((await host.fetch("/acme/token", { method: "POST", body })).status).toBe(429);
  // A caller that signed in before is not limited.
  expect((await ask("packages.example", "/token?service=default", basic(writer))).status).toBe(200);
});
