import { generateKeyPairSync, sign } from "node:crypto";
import type { NewNpmVersion } from "@sealhouse/npm-protocol";
import { keyIdOf } from "@sealhouse/npm-protocol";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { createSource } from "@sealhouse/upstream-sources";
import { expect, test } from "vitest";
import type { ConsolePagesOptions } from "./pages.test.support.ts";
import { caller, NOW, openConsolePages, wordsOf } from "./pages.test.support.ts";

const CLOSED = { Feed__Authentication__AllowAnonymousPull: "false" };

type Manifest = Readonly<Record<string, unknown>>;
type Wish = Partial<NewNpmVersion> & { readonly says?: Manifest };

/** The pages of a registry that packages can be published to. */
async function openPages(options: ConsolePagesOptions = {}) {
  const pages = await openConsolePages("npm", options);
  return {
    ...pages,
    publish: async ({ says, ...wish }: Wish) => {
      const { name = "demo", version = "1.0.0" } = wish;
      const manifest = JSON.stringify({ name, version, ...says });
      const publishedAt = NOW;
      const npmVersion = newNpmVersion({ manifest, publishedAt, fileCount: 3, ...wish });
      const outcome = await pages.database.npm.recorder.publish(npmVersion, caller);
      expect(outcome).toMatchObject({ status: "published" });
      return npmVersion;
    },
  };
}

const app: Wish = {
  name: "@acme/app",
  version: "1.2.0",
  description: "Serves things.",
  keywords: ["http", "server"],
  readme: "# Hello\n\n<script>alert(1)</script>\n\n**bold** ![x](https://evil.example/x.png)",
  dependencyNames: ["@acme/core", "left-pad"],
  says: {
    description: "Serves things.",
    keywords: ["http", "server"],
    license: "MIT",
    homepage: "javascript:alert(1)",
    repository: { type: "git", url: "git+https://github.com/acme/app.git", directory: "app" },
    bin: { "acme-app": "./bin.js" },
    scripts: { postinstall: "node x", test: "vitest", prepare: "tsc" },
    dependencies: { "@acme/core": "^1.0.0", pad: "npm:left-pad@1.x" },
    peerDependencies: { typescript: ">=6" },
    peerDependenciesMeta: { typescript: { optional: true } },
    devDependencies: { vitest: "5" },
    engines: { node: ">=24" },
  },
};

test("finds a package by any form of its name, and its page shows its facts", async () => {
  await using pages = await openPages();
  const { publish, read, get } = pages;
  await publish(app);
  await publish({ name: "@acme/core" });
  expect(await read("/npm-packages?q=keywords:http")).toMatch(
    /1 package, showing 1 to 1 .*@acme\/app 1\.2\.0 Serves things\..*maintained by token:release/,
  );
  const html = await (await get("/npm-packages/@acme/app")).text();
  expect(html).not.toContain("/manage/npm");
  const writer = await pages.authorizationOf(["read", "write"]);
  expect(await (await get("/npm-packages/@acme/app", writer)).text()).toContain(
    'href="/manage/npm/@acme/app"',
  );
  expect(html).toContain("<strong>bold</strong>");
  expect(html).not.toContain("<script>alert");
  expect(html).not.toContain("<img");
  expect(html).not.toContain('href="javascript:');
  const words = wordsOf(html);
  for (const text of [
    "Publisher token:release",
    "License MIT",
    "Size 7 bytes packed",
    "3 files",
    "@acme/core ^1.0.0",
    "left-pad as pad 1.x",
    "typescript >=6",
    "during installation if the client allows it: postinstall .",
    "Source github.com/acme/app in app",
    "npx @acme/app@1.2.0",
    "1.2.0 latest",
  ]) {
    expect(words).toContain(text);
  }
  for (const path of ["@acme%2fapp", "%40acme%2Fapp", "@acme%252fapp", "@acme/app/v/latest"]) {
    expect(await read(`/npm-packages/${path}`)).toContain("Home page javascript:alert(1)");
  }
  expect(await read("/npm-packages/@acme/core")).toContain(
    "1 package in this registry whose latest depends on it.",
  );
  expect(await read("/npm-packages/@acme/core")).toContain("@acme/app");
});

test("looks the token of a request up once", async () => {
  await using pages = await openPages();
  await pages.publish(app);
  const reader = await pages.authorizationOf(["read", "write"]);
  for (const path of ["/", "/npm-packages", "/npm-packages/@acme/app"]) {
    expect([path, await pages.lookupsFor(path, reader)]).toEqual([path, 1]);
  }
});

test("links dependencies to pages here or at their source, not to unknown names", async () => {
  const npmjs = createSource({
    name: "npmjs",
    protocol: "npm",
    url: "https://registry.npmjs.org/",
    from: "configuration",
    settings: { deny: ["@acme/*"] },
  });
  for (const sources of [[], [npmjs]]) {
    await using pages = await openPages({ sources });
    await pages.publish(app);
    await pages.publish({ name: "@acme/core" });
    await pages.publish({ name: "user", says: { dependencies: { "@acme/none": "1", vite: "1" } } });
    const html = await (await pages.get("/npm-packages/@acme/app")).text();
    expect(html).toContain('href="/npm-packages/@acme/core"');
    expect(html).not.toContain('href="/npm-packages/left-pad"');
    const there = 'href="https://www.npmjs.com/package/left-pad"';
    expect(html.includes(there)).toBe(sources.length > 0);
    const user = await (await pages.get("/npm-packages/user")).text();
    expect(user).not.toMatch(/href="[^"]*@acme\/none"/);
    const reader = await pages.authorizationOf(["read"], ["@acme/app"]);
    const limited = await (await pages.get("/npm-packages/@acme/app", reader)).text();
    expect(limited.includes('href="/npm-packages/@acme/core"')).toBe(true);
  }
});

test("shows latest, or another version by its name or tag", async () => {
  await using pages = await openPages();
  const { database, publish, read, get } = pages;
  await publish({ version: "1.0.0" });
  await publish({ version: "2.0.0-rc.1", tags: ["next"] });
  expect(await read("/npm-packages/demo")).toContain("demo 1.0.0");
  expect(await read("/npm-packages/demo/v/next")).toContain("demo 2.0.0-rc.1 Prerelease");
  expect(await read("/npm-packages/demo/v/v1.0.0")).toContain("demo 1.0.0");
  for (const path of ["demo/v/3.0.0", "demo/v/toString", "Demo", "demo/v/^1.0.0", "__proto__"]) {
    expect((await get(`/npm-packages/${path}`)).status, path).toBe(404);
  }
  expect(await read("/npm-packages/demmo-x")).not.toContain("Did you mean");
  expect(await read("/npm-packages/demo-x")).toContain("Did you mean demo");
  await database.npm.lifecycle.deprecate("demo", new Map([["1.0.0", "use <2>"]]), caller);
  expect(await read("/npm-packages/demo")).toContain("This version is deprecated use <2>");
  expect(await read("/npm-packages?q=demo")).toContain("Deprecated");
  expect(await read("/npm-packages?q=demo&deprecated=false")).toContain("No matching package.");
  const html = await read("/npm-packages?q=demo+is:deprecated&deprecated=false");
  expect(html).toContain("1 package, showing 1 to 1");
});

test("shows vulnerabilities on the version and in the history", async () => {
  await using pages = await openPages();
  const { database, publish, read } = pages;
  await publish({ version: "1.0.0" });
  await publish({ version: "2.0.0" });
  const url = "https://github.com/advisories/GHSA-aaaa";
  const title = "Reads any file";
  await database.npm.advisories.replace("test", [
    { name: "demo", severity: 3, url, title, versions: "<2.0.0", cwe: [] },
  ]);
  expect(await read("/npm-packages/demo/v/1.0.0")).toContain("Critical severity: Reads any file");
  const page = await read("/npm-packages/demo");
  expect(page).not.toContain("severity:");
  expect(page).toContain("1.0.0 Vulnerable: critical");
});

test("shows the state of a signature: none, of another version, valid", async () => {
  await using pages = await openPages();
  const { database, publish, read } = pages;
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = publicKey.export({ type: "spki", format: "der" });
  const keyId = keyIdOf(der);
  const signed = (message: string) => [
    { keyid: keyId, sig: sign("sha256", Buffer.from(message), privateKey).toString("base64") },
  ];
  const { integrity } = newNpmVersion({ version: "1.0.0" });
  await publish({ version: "1.0.0", signatures: signed(`demo@1.0.0:${integrity}`) });
  await publish({ version: "1.0.1", signatures: signed("demo@9.9.9:sha512-x") });
  await publish({ version: "1.0.2" });
  const readVersion = (version: string) => read(`/npm-packages/demo/v/${version}`);
  expect(await readVersion("1.0.0")).toContain("This registry has no npm signing key.");
  const publicText = der.toString("base64");
  const key = { keyId, publicKey: publicText, createdAt: NOW, encryptedKey: new Uint8Array([1]) };
  await database.npm.signingKeys.add(key);
  await database.npm.signingKeys.announce("all");
  expect(await readVersion("1.0.0")).toContain(
    `Signed by this registry; npm audit signatures checks it. Key ${keyId}`,
  );
  expect(await readVersion("1.0.1")).toContain("The signature of this version is invalid");
  expect(await readVersion("1.0.2")).toContain("This registry has not signed this version.");
});

const PREDICATE_TYPE = "https://slsa.dev/provenance/v1";

function bundleSaying(predicate: unknown): string {
  const statement = JSON.stringify({ predicateType: PREDICATE_TYPE, predicate });
  return JSON.stringify({ dsseEnvelope: { payload: Buffer.from(statement).toString("base64") } });
}

test.each([
  ["verified", { status: "verified" }, "certificate and log entry are valid"],
  ["unchecked", { status: "unchecked" }, "no trusted root is configured"],
  ["refused", { status: "refused", reason: "no <log>" }, "Verification failed: no <log>"],
] as const)(
  "a provenance statement that is %s is shown as such, with its contents",
  async (_, verdict, text) => {
    await using pages = await openPages({ verifyBundle: async () => verdict });
    const bundle = bundleSaying({
      buildDefinition: {
        externalParameters: {
          workflow: { repository: "https://github.com/acme/app", path: ".github/release.yml" },
        },
        resolvedDependencies: [{ digest: { gitCommit: "5fc1c5e0" } }],
      },
      runDetails: { builder: { id: "https://ci.example/runner" } },
    });
    await pages.publish({ attestations: [{ predicateType: PREDICATE_TYPE, bundle }] });
    const words = await pages.read("/npm-packages/demo");
    expect(words).toContain(text);
    expect(words).toContain("Source repository github.com/acme/app");
    expect(words).toContain("Commit 5fc1c5e0");
    expect(words).toContain("Workflow .github/release.yml");
  },
);

test("statements and manifests of any form break nothing", async () => {
  await using pages = await openPages();
  const bundles = ["[]", '{"dsseEnvelope":{"payload":"%%"}}', bundleSaying([{ a: 1 }])];
  const manifests: readonly Manifest[] = [
    { license: { type: 1 }, repository: [], bugs: 7, keywords: "a b", bin: [], engines: "node" },
    { licenses: [{ type: "MIT", url: "javascript:x" }], dependencies: { "../x": {}, "": "1" } },
    { homepage: {}, description: ["x"], dependencies: [], scripts: "rm", __proto__: { a: 1 } },
  ];
  for (const [index, says] of manifests.entries()) {
    const name = `odd-${index}`;
    const attestations = [{ predicateType: PREDICATE_TYPE, bundle: bundles[index] ?? "" }];
    await pages.publish({ name, says, attestations });
    expect((await pages.get(`/npm-packages/${name}`)).status).toBe(200);
  }
  expect(await pages.read("/npm-packages/odd-1")).toContain("License MIT");
});

test("a closed registry shows no contents to anonymous callers", async () => {
  await using pages = await openPages({ env: CLOSED });
  const { publish, get, authorizationOf } = pages;
  await publish(app);
  await publish({ name: "secret-app", dependencyNames: ["@acme/app"] });
  const all = await authorizationOf(["read"]);
  const narrow = await authorizationOf(["read"], ["@acme/*"]);
  for (const path of ["", "/@acme/app", "/@acme%2fap", "/@acme/app/v/1.2.0", "/nothing"]) {
    const refused = await get(`/npm-packages${path}`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer realm="Sealhouse"/);
    // The form of the theme leads back to the address that was asked for.
    const text = (await refused.text()).replace(`value="/npm-packages${path}"`, "");
    expect(text).not.toMatch(/acme\/app|secret/);
    const answer = await get(`/npm-packages${path}`, all);
    expect([200, 404]).toContain(answer.status);
  }
  const wide = await (await get("/npm-packages/@acme/app", all)).text();
  expect(wide).toContain('href="/npm-packages/secret-app"');

  for (const path of ["", "?q=app", "/@acme/app", "/@acme/secret-app"]) {
    const shown = await get(`/npm-packages${path}`, narrow);
    expect(shown.status).toBe(path.endsWith("secret-app") ? 404 : 200);
    expect(await shown.text()).not.toContain('href="/npm-packages/secret-app"');
  }
  const count = async (query: string, who: string) =>
    /(\d+) packages?,/.exec(wordsOf(await (await get(`/npm-packages${query}`, who)).text()))?.[1];
  for (const query of ["", "?q=app", "?q=maintainer:token:release", "?q=not:unstable"]) {
    expect([await count(query, all), await count(query, narrow)]).toEqual(["2", "1"]);
  }
  const secrets = ["?q=secret", "?q=secret-app", "?q=is:unstable+secret"];
  for (const query of secrets) expect(await count(query, narrow)).toBeUndefined();

  const other = await get("/npm-packages/secret-app", narrow);
  const absent = await get("/npm-packages/secret-none", narrow);
  expect([other.status, absent.status]).toEqual([401, 401]);
});

test("where npm is off there are no pages of it", async () => {
  await using pages = await openPages({ env: { Feed__Npm__Enabled: "false" } });
  expect((await pages.get("/npm-packages")).status).toBe(404);
  expect(await pages.read("/packages")).not.toContain("npm packages");
});

test("reads a long history a page at a time", async () => {
  await using pages = await openPages();
  const { publish, read } = pages;
  for (let index = 0; index < 205; index += 1) await publish({ version: `1.${index}.0` });
  const first = await read("/npm-packages/demo");
  expect(first).toContain("Page 1 of 3");
  expect(first).toContain("demo 1.204.0");
  expect(await read("/npm-packages/demo?versions=3")).toMatch(/Older versions|1\.4\.0 .*1\.0\.0/);
  expect(await read("/npm-packages/demo?versions=99")).toContain("Page 3 of 3");
});
