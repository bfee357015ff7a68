import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClientName } from "./installed-clients.ts";
import { installedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { packumentOf } from "./packuments.ts";

const names = installedClients();
const cleanUp = new AsyncDisposableStack();
let clients: NpmClients;

beforeAll(async () => {
  clients = cleanUp.use(await openNpmClients());
});
afterAll(() => cleanUp.disposeAsync());

/** What clients rewrite on the way from a package.json to the manifest that they send. */
const WRITTEN = {
  bin: "./index.js",
  author: "Ann <a@b.test> (https://b.test)",
  repository: "github:acme/demo",
  bugs: "https://b.test/bugs",
  keywords: ["a", "b"],
  scripts: { prepack: "", test: "./node_modules/.bin/x" },
};

test.concurrent.each(names)(
  "%s publishes a package that is written the short way",
  async (name) => {
    await expectTaken(name, { called: `@acme/short-${name}`, more: WRITTEN });
  },
);

test.concurrent.each(names)("%s publishes a version with build metadata", async (name) => {
  await expectTaken(name, { called: `@acme/build-${name}`, version: "1.0.0+build.5" });
});

test.concurrent.each(names.filter((name) => name.startsWith("npm-")))(
  "%s publishes a version with a v",
  async (name) => {
    await expectTaken(name, { called: `@acme/v-${name}`, version: "v1.0.0" });
  },
);

const INNER = { "node_modules/inner/package.json": '{"name":"inner","version":"1.0.0"}' };
const BUNDLED = { dependencies: { inner: "1.0.0" }, bundledDependencies: ["inner"] };

/** pnpm 10, yarn 1 and yarn 4 do not bundle in projects as these are. */
test.concurrent.each(names.filter((name) => /^npm|^pnpm-12|^bun/.test(name)))(
  "%s publishes a package that something is bundled with",
  async (name) => {
    await expectTaken(name, { called: `@acme/bundle-${name}`, more: BUNDLED, files: INNER });
  },
);

test.concurrent.each(names)("%s publishes a package that is built with gyp", async (name) => {
  const wish = { called: `@acme/gyp-${name}`, files: { "binding.gyp": "{}" } };
  const version = await expectTaken(name, wish);
  expect(version["hasInstallScript"]).toBe(true);
});

type Wish = {
  readonly called: string;
  readonly version?: string;
  /** Further fields of package.json. */
  readonly more?: object;
  readonly files?: Readonly<Record<string, string>>;
};

async function expectTaken(
  name: ClientName,
  { called, version = "1.0.0", more = {}, files = {} }: Wish,
): Promise<Readonly<Record<string, unknown>>> {
  const client = clients.client(name);
  const manifest = { name: called, version, main: "index.js", license: "MIT", ...more };
  const all = { "index.js": "#!/usr/bin/env node\n", "yarn.lock": "", ...files };
  const sent = await client.publish(await client.folder(manifest, all));
  expect(sent.code, sent.output).toBe(0);
  const { versions } = await packumentOf(clients, called);
  expect(Object.keys(versions)).toEqual(["1.0.0"]);
  return versions["1.0.0"] ?? {};
}
