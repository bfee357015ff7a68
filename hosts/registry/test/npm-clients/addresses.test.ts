import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const names = testedClients();
const npms = names.filter((name) => name.startsWith("npm-"));
const cleanUp = new AsyncDisposableStack();
let clients: NpmClients;

beforeAll(async () => {
  clients = cleanUp.use(await openNpmClients({ only: [...npms, "bun"] }));
  const [client] = clients.all;
  const sent = await client?.publish(await client.source("@acme/demo", "1.0.0"));
  expect(sent?.code, sent?.output).toBe(0);
});
afterAll(() => cleanUp.disposeAsync());

describe("names in addresses", () => {
  test.each(["GET", "HEAD"])("%s of every spelling is of the same document", async (method) => {
    const spellings = ["@acme%2fdemo", "@acme%2Fdemo", "@acme/demo", "%40acme%2Fdemo"];
    const proxied = ["@acme%252fdemo", "%40acme/demo", "@acme/demo/"];
    const answers = await Promise.all(
      [...spellings, ...proxied].map((spelling) => ask(method, spelling)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers["etag"])).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers["content-length"])).size).toBe(1);
  });

  test.each([
    ["@acme%25252fdemo", 400],
    ["Acme-Demo", 404],
    ["a".repeat(215), 404],
    ["node_modules", 400],
    ["..%2f..%2fetc%2fpasswd", 400],
    ["%2e%2e%2fetc", 400],
    ["%00", 400],
    ["__proto__", 400],
    ["constructor", 400],
    ["@a/-", 404],
    ["@a/-/-/--1.0.0.tgz", 404],
    ["@a%2f-/latest", 404],
    ["demo/%zz", 400],
    ["a%5cb", 400],
  ])("%s answers %i in npm's form, and the host keeps serving", async (path, status) => {
    for (const method of ["GET", "HEAD"]) {
      const answer = await ask(method, path);
      expect(answer.status).toBe(status);
      expect(answer.headers["content-type"]).toBe("application/json");
      expect(Number(answer.headers["content-length"])).toBeGreaterThan(10);
    }
    expect(JSON.parse((await ask("GET", path)).body)).toMatchObject({ error: /./ });
  });

  test.each(["Upper-Case", "a".repeat(215), "node_modules", "__proto__", "@a/-", "fs"])(
    "%s is not a valid name of a new package",
    async (name) => {
      const answer = await ask("PUT", name.replace("/", "%2f"), JSON.stringify({ name }));
      expect([400, 422]).toContain(answer.status);
      expect(JSON.parse(answer.body)).toHaveProperty("error");
    },
  );
});

describe("addresses in lock files", () => {
  test.each(npms)("%s takes from us what a lock file names elsewhere", async (name) => {
    const client = clients.client(name);
    const project = await client.project({ "@acme/demo": "1.0.0" });
    expect((await client.install(project)).code).toBe(0);
    const file = join(project, "package-lock.json");
    // The default registry of npm.
    const env = { npm_config_userconfig: join(project, "none") };
    const shown = await client.run(["config", "get", "registry"], { cwd: project, env });
    const elsewhere = shown.stdout.trim();
    expect(elsewhere).toMatch(/^https:/);
    const lock = await readFile(file, "utf8");
    await writeFile(file, lock.replaceAll(client.registry, elsewhere));
    await client.clearCache();
    await client.removeInstalled(project);
    client.requests();

    const again = await client.installFrozen(project);
    expect(again.code, again.output).toBe(0);
    const taken = client.requests().filter(({ path }) => path.endsWith(".tgz"));
    expect(taken.map(({ path, status }) => [path, status])).toEqual([
      ["/npm/@acme/demo/-/demo-1.0.0.tgz", 200],
    ]);
  });
});

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

/** Sends the path unchanged: `fetch` would remove `..`. */
function ask(method: string, path: string, body?: string): Promise<Answer> {
  const { hostname, port } = new URL(clients.host.url);
  const authorization = `Bearer ${clients.token}`;
  const headers = { authorization, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: `/npm/${path}`, headers });
    outgoing.once("error", reject).once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    });
    outgoing.end(body);
  });
}
