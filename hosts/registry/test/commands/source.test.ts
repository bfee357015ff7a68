import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../src/settings/load.ts";
import { runInProcess } from "../../src/testing/run-in-process.ts";

/** An npm registry with one package, which wants a password, and a list of its requests. */
const requests: string[] = [];
const registry = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  const { authorization } = request.headers;
  const login = `Basic ${Buffer.from("ada:hidden").toString("base64")}`;
  if (authorization !== login) return void response.writeHead(401).end();
  response.setHeader("content-type", "application/json");
  if (request.url === "/npm/left-pad") {
    const dist = { tarball: "http://127.0.0.1/x.tgz", shasum: "0".repeat(40) };
    const versions = { "1.0.0": { name: "left-pad", version: "1.0.0", dist } };
    const packument = { name: "left-pad", "dist-tags": { latest: "1.0.0" }, versions };
    return void response.end(JSON.stringify(packument));
  }
  return void response.writeHead(404).end("{}");
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/npm`;
});
afterAll(() => void registry.close());

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-source-"));
  requests.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

const settings = () => ({
  ASPNETCORE_ENVIRONMENT: "Development",
  Host__DataPath: folder,
  Feed__Authentication__AllowAnonymousPull: "false",
});

function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runInProcess(words, { folder, env: { ...settings(), UPSTREAM: "hidden", ...env } });
}

const add = (...options: readonly string[]) => [
  "source",
  "add",
  "Npmjs",
  "--protocol",
  "npm",
  "--url",
  url,
  "--username",
  "ada",
  "--password-env",
  "UPSTREAM",
  "--allow-private-network",
  ...options,
];

test("adds, tests, disables and removes a source, and does not show its secret", async () => {
  const added = await run(add("--allow", "@acme/*", "left-pad"));
  expect([added.code, added.printed]).toEqual([0, ""]);
  expect(added.stderr).toContain("sealhouse source test Npmjs");

  const again = await run(add());
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("--replace")]);

  const list = await run(["source", "list", "--json"]);
  expect(JSON.parse(list.printed)).toMatchObject([
    {
      name: "Npmjs",
      protocol: "npm",
      url,
      status: "unused",
      credentials: "basic",
      allow: ["@acme/*", "left-pad"],
      from: "database",
    },
  ]);

  const tested = await run(["source", "test", "npmjs"]);
  expect(tested.printed).toMatch(/^Npmjs {2}works {2}status 404 {2}\d+ ms {2}packages$/);
  expect(tested.code).toBe(0);

  expect((await run(["source", "disable", "npmjs"])).code).toBe(0);
  expect((await run(["source", "list"])).printed).toMatch(/^Npmjs {2}npm {2}\S+ {2}disabled {2}/);
  expect((await run(["source", "enable", "npmjs"])).code).toBe(0);
  expect((await run(["source", "remove", "npmjs"])).code).toBe(0);
  const gone = await run(["source", "disable", "npmjs"]);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("There is no source")]);

  const audit = await run(["audit", "list", "--type", "source.changed"]);
  expect(audit.printed.split("\n")).toHaveLength(4);
  const outputs = [added, list, tested, audit].flatMap(({ printed, stderr }) => [printed, stderr]);
  expect(outputs.join("\n")).not.toContain("hidden");
});

test("a test reports a wrong password, and prints no body", async () => {
  await run(add(), { UPSTREAM: "wrong" });
  const wrong = await run(["source", "test", "Npmjs", "--json"]);
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.printed)).toMatchObject({ outcome: "failed", status: 401 });
});

test("a source that its first call would be refused for is not added, and its option is named", async () => {
  const open = add().filter((word) => word !== "--allow-private-network");
  const refused = await run(open);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    "--allow-private-network is not set, and 127.0.0.1 is in a private network",
  ]);
  expect((await run(["source", "list", "--json"])).printed).toBe("[]");
  expect(requests).toEqual([]);
  // It was not private when it was added.
  const disabled = await run([...open, "--disabled"]);
  expect(disabled.code).toBe(0);
  const closed = await run(["source", "test", "Npmjs"]);
  expect([closed.code, closed.stderr]).toEqual([
    1,
    expect.stringMatching(/private network\..*add the source again with --allow-private-network/),
  ]);
  expect(requests).toEqual([]);
});

test("a source that does not answer is added, with a warning", async () => {
  const words = add().map((word) => (word === url ? "http://127.0.0.1:1/npm" : word));
  const { code, stderr } = await run(words);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/Npmjs does not answer: .*ECONNREFUSED/),
  ]);
});

test.each([
  [["--protocol", "pypi"], /"pypi" is not a protocol/],
  [["--url", "https://ada:x@registry.example"], /not in the address/],
  [["--token-env", "UPSTREAM"], /a second kind of credentials/],
  [["--password-env", "UNSET"], /environment variable UNSET is not set/],
  [["--strategy", "Everything"], /--strategy "Everything" is not allowed/],
  [["--allow", "a b"], /--allow "a b" is not a name pattern/],
  [["--surface", "docker"], /--surface is only for sources of images/],
  [["--minimum-release-age", "soon"], /not a time span such as 7\.00:00:00/],
])("source add with %j is refused", async (options, reason) => {
  const { code, stderr } = await run(add(...options));
  expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  expect((await run(["source", "list", "--json"])).printed).toBe("[]");
});

test("anonymous readers get packages of a source with credentials only with consent", async () => {
  const open = { Feed__Authentication__AllowAnonymousPull: "true" };
  const refused = await run(add(), open);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^--public-through-here is not set/),
  ]);
  await run(add());
  const started = await run(["serve"], { ...open, ASPNETCORE_URLS: "http://127.0.0.1:0" });
  expect([started.code, started.stderr]).toEqual([
    78,
    expect.stringMatching(/"Npmjs" needs credentials.*sealhouse source disable Npmjs$/),
  ]);
  expect((await run(add("--public-through-here", "--replace"), open)).code).toBe(0);
});

test("sources of the database replace those of the settings", async () => {
  const configured = { Feed__Npm__Mirror__RegistryUrl: "https://registry.npmjs.org" };
  const before = await run(["source", "list"], configured);
  expect(before.printed).toMatch(/^npm-mirror {2}npm .* unused .*from the settings$/);
  const disabled = await run(["source", "disable", "npm-mirror"], configured);
  expect(disabled.stderr).toContain("a source of the settings");
  expect((await run(add(), configured)).stderr).toContain("no longer used: npm-mirror");
  const after = await run(["source", "list"], configured);
  expect(after.printed).toMatch(/^Npmjs .*from the database\nnpm-mirror .* replaced .*settings$/);
});

test("reserves and releases names, and finds conflicts only on demand", async () => {
  await run(add());
  const { config } = loadConfig({ env: settings(), workingFolder: folder });
  {
    await using database = await openDatabase(config.database);
    for (const name of ["left-pad", "private"]) {
      await database.upstream.origins.claim("npm", name, "Npmjs");
    }
  }
  const refused = await run(["source", "reserve", "npm", "left-pad"]);
  expect(refused.stderr).toContain("sealhouse source release npm left-pad");
  for (const name of ["left-pad", "private"]) {
    const released = await run(["source", "release", "npm", name, "--json"]);
    expect(JSON.parse(released.printed)).toMatchObject({ status: "released", source: "Npmjs" });
  }
  expect((await run(["source", "release", "npm", "unknown"])).code).toBe(1);
  expect((await run(["source", "reserve", "npm", "@acme/*"])).code).toBe(0);
  expect(requests).toEqual(["HEAD /npm"]);
  requests.length = 0;

  const conflicts = await run(["source", "conflicts", "--protocol", "npm"]);
  expect([conflicts.code, conflicts.printed]).toEqual([1, "npm  left-pad  Npmjs"]);
  expect(conflicts.stderr).toContain("1 of 2 own names");
  expect(requests.toSorted()).toEqual(["GET /npm/left-pad", "GET /npm/private"]);

  const audit = await run(["audit", "list", "--type", "name.released"]);
  expect(audit.printed.split("\n")).toHaveLength(2);
});
