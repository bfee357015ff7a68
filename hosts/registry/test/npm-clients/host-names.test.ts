import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFolder } from "../clients/client.ts";
import { quickClients, testedClients } from "./installed-clients.ts";
import { openLoadBalancer } from "./load-balancer.ts";
import type { LoadBalancer } from "./load-balancer.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { publishAll } from "./packuments.ts";

const names = testedClients();
const MAIN = "http://packages.example";

/** One that listens on loopback alone does not answer by the names that these tests use. */
const LISTENING = { ASPNETCORE_URLS: "http://+:0" };

/** The second host name that every machine has for itself. */
const ALIAS = "localhost";

describe("a host name that is npm's own", () => {
  const cleanUp = new AsyncDisposableStack();
  let clients: NpmClients;
  let balancer: LoadBalancer;

  beforeAll(async () => {
    const env = { ...LISTENING, Feed__PublicBaseUrl: MAIN, Feed__Npm__HostNames__0: ALIAS };
    clients = cleanUp.use(await openNpmClients({ only: [], env }));
    const { path } = cleanUp.use(await openFolder());
    balancer = cleanUp.use(await openLoadBalancer(clients.host.url, path));
  });
  afterAll(() => cleanUp.disposeAsync());

  test.concurrent.each(names)("%s publishes and installs at its root", async (name) => {
    const { token } = clients;
    const client = await clients.another(name, { token, hostName: ALIAS, path: "/" });
    await roundTrip(client, `@acme/root-${name}`);
    const tarballs = client.requests().filter(({ path }) => path.endsWith(".tgz"));
    expect(tarballs.length).toBeGreaterThan(0);
    for (const { path, status } of tarballs) {
      expect([decodeURIComponent(path), status]).toEqual([
        `/@acme/root-${name}/-/root-${name}-1.0.0.tgz`,
        200,
      ]);
    }
  });

  test.concurrent.each(quickClients())(
    "%s does so by https, through a load balancer",
    async (name) => {
      const { url: front, authority } = balancer;
      const { token } = clients;
      const client = await clients.another(name, { token, front, authority, path: "/" });
      await roundTrip(client, `@acme/balanced-${name}`);
    },
  );

  test("each address gets links to itself, the main one to its prefix", async () => {
    const [name] = names;
    const { token } = clients;
    const client = await clients.another(name ?? "npm-12", { token, hostName: ALIAS, path: "/" });
    await publishAll(client, "linked", ["1.0.0"]);
    const path = "/linked/-/linked-1.0.0.tgz";
    const tarballs = [
      await tarballOf("/linked", { host: ALIAS }),
      await tarballOf("/linked", { host: `${ALIAS}:4711` }),
      await tarballOf("/linked", { "x-forwarded-host": ALIAS, "x-forwarded-proto": "https" }),
      await tarballOf("/npm/linked", { host: "packages.example" }),
      await tarballOf("/npm/linked", { host: "elsewhere.example" }),
    ];
    expect(tarballs).toEqual([
      `http://${ALIAS}${path}`,
      `http://${ALIAS}:4711${path}`,
      `https://${ALIAS}${path}`,
      `${MAIN}/npm${path}`,
      `${MAIN}/npm${path}`,
    ]);
  });

  test.each([
    "/",
    "/v3/index.json",
    "/v2/",
    "/health",
    "/health/live",
    "/metrics",
    "/sign-in/BCDF-2345",
    "/api/v2/package",
    "/npm/linked",
    "/packages",
  ])("%s is npm's there, whatever it is elsewhere", async (path) => {
    const { body, headers } = await ask(path, { host: ALIAS });
    expect(headers["content-type"]).toBe("application/json");
    if (path !== "/") expect(JSON.parse(body)).toHaveProperty("error");
    else expect(JSON.parse(body)).toEqual({ db_name: "registry" });
  });

  test.each([
    ["/health/live", 200],
    ["/linked", 404],
    ["/npm/linked", 200],
  ])("%s answers %i at the main address", async (path, status) => {
    expect((await ask(path, { host: "packages.example" })).status).toBe(status);
  });

  test("a login that begins there ends at the pages of the main address", async () => {
    const { host } = new URL(clients.host.url.replace("127.0.0.1", ALIAS));
    const { body } = await ask("/-/v1/login", { host }, "POST");
    expect(JSON.parse(body)).toEqual({
      loginUrl: expect.stringMatching(`^${MAIN}/sign-in/`),
      doneUrl: expect.stringMatching(`^http://${host}/-/v1/done\\?`),
    });
  });

  async function tarballOf(path: string, headers: Readonly<Record<string, string>>) {
    const { status, body } = await ask(path, headers);
    expect(status, body).toBe(200);
    const { versions } = JSON.parse(body) as {
      versions: Record<string, { dist: { tarball: string } }>;
    };
    return versions["1.0.0"]?.dist.tarball;
  }

  function ask(path: string, headers: Readonly<Record<string, string>>, method = "GET") {
    return askHost(clients, path, { headers, method });
  }
});

describe("an address that only the request names", () => {
  const cleanUp = new AsyncDisposableStack();
  let clients: NpmClients;
  let balancer: LoadBalancer;

  beforeAll(async () => {
    clients = cleanUp.use(await openNpmClients({ only: [], env: LISTENING }));
    const { path } = cleanUp.use(await openFolder());
    balancer = cleanUp.use(await openLoadBalancer(clients.host.url, path));
  });
  afterAll(() => cleanUp.disposeAsync());

  test.concurrent.each(names.filter((name) => name.startsWith("npm-")))(
    "%s goes by https, through a load balancer",
    async (name) => {
      const { url: front, authority } = balancer;
      const client = await clients.another(name, { token: clients.token, front, authority });
      await roundTrip(client, `@acme/balanced-${name}`);
    },
  );
});

describe("an untrusted proxy", () => {
  const cleanUp = new AsyncDisposableStack();
  let clients: NpmClients;

  beforeAll(async () => {
    const env = { Host__TrustedProxies__0: "192.0.2.1", Feed__Npm__HostNames: ALIAS };
    const more = { Feed__PublicBaseUrl: MAIN };
    clients = cleanUp.use(await openNpmClients({ only: [], env: { ...env, ...more } }));
    const own = { token: clients.token, hostName: ALIAS, path: "/" };
    for (const name of names.slice(0, 1)) {
      await publishAll(await clients.another(name, own), "linked", ["1.0.0"]);
    }
  });
  afterAll(() => cleanUp.disposeAsync());

  test.each(["evil.example", ALIAS])("cannot say that %s was called", async (forwarded) => {
    const headers = {
      host: "packages.example",
      "x-forwarded-host": forwarded,
      "x-forwarded-proto": "https",
      "x-forwarded-prefix": "/evil",
    };
    for (let turn = 0; turn < 2; turn += 1) {
      const { status, body } = await askHost(clients, "/npm/linked", { headers });
      expect(status).toBe(200);
      expect(body).toContain(`"${MAIN}/npm/linked/-/linked-1.0.0.tgz"`);
      expect(body).not.toContain("evil");
    }
    expect((await askHost(clients, "/linked", { headers })).status).toBe(404);
  });
});

/** Publishes, installs, and installs from the lock file what that made. */
async function roundTrip(client: NpmClient, called: string): Promise<void> {
  const sent = await client.publish(await client.source(called, "1.0.0"));
  expect(sent.code, sent.output).toBe(0);
  const project = await client.project({ [called]: "1.0.0" });
  const ran = await client.install(project);
  expect(ran.code, ran.output).toBe(0);
  if (client.name.startsWith("npm-")) {
    const lock = await readFile(join(project, "package-lock.json"), "utf8");
    const file = `${called}/-/${called.slice(called.indexOf("/") + 1)}-1.0.0.tgz`;
    expect(lock).toContain(`"resolved": "${client.registry}${file}"`);
  }
  await client.removeInstalled(project);
  await client.clearCache();
  const again = await client.installFrozen(project);
  expect(again.code, again.output).toBe(0);
}

type TestRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: string;
};

/** With a `Host` of any name, which `fetch` would not send. */
function askHost(clients: NpmClients, path: string, { headers, method = "GET" }: TestRequest) {
  const { hostname, port } = new URL(clients.host.url);
  const all = { authorization: `Bearer ${clients.token}`, ...headers };
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: string;
  }>();
  const outgoing = request({ hostname, port, method, path, headers: all });
  outgoing.once("error", reject).once("response", (response) => {
    let body = "";
    response.setEncoding("utf8").on("data", (part: string) => (body += part));
    response.on("end", () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
    );
  });
  outgoing.end();
  return promise;
}
