import { afterAll, beforeAll, expect, test } from "vitest";
import { isExtended } from "../../src/testing/index.ts";
import type { ClientName } from "./installed-clients.ts";
import { quickClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { packumentOf } from "./packuments.ts";

const names = quickClients();
const cleanUp = new AsyncDisposableStack();
let clients: NpmClients;

beforeAll(async () => {
  clients = cleanUp.use(await openNpmClients({ only: names }));
});
afterAll(() => cleanUp.disposeAsync());

/** Fields that clients change between package.json and the sent manifest. */
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

test.concurrent.each(names)(
  "%s publishes a package without the gyp file of its folder",
  async (name) => {
    const files = { "binding.gyp": "{}", "index.js": "" };
    const wish = { called: `@acme/gyp-out-${name}`, more: { files: ["index.js"] }, files };
    const version = await expectTaken(name, wish);
    expect(version).not.toHaveProperty("scripts.install");
    expect(version).not.toHaveProperty("gypfile");
    expect(version).not.toHaveProperty("hasInstallScript");
  },
);

/** Spellings that npm rewrites, and what it makes of them. */
const GIT = {
  short: ["u/r", "github:u/r"],
  tag: ["u/r#v1.2", "github:u/r#v1.2"],
  range: ["github:u/r#semver:^1", "github:u/r#semver:^1"],
  scp: ["git@github.com:u/r.git", "git+ssh://git@github.com/u/r.git"],
  https: ["https://github.com/u/r", "git+https://github.com/u/r.git"],
  git: ["git://github.com/u/r.git#abc", "git://github.com/u/r.git#abc"],
  ssh: ["ssh://git@github.com/u/r", "git+ssh://git@github.com/u/r.git"],
  gitlab: ["gitlab:u/r", "gitlab:u/r"],
  "gitlab-https": ["https://gitlab.com/g/s/r.git", "git+https://gitlab.com/g/s/r.git"],
  "gitlab-scp": ["git@gitlab.com:u/r.git", "git+ssh://git@gitlab.com/u/r.git"],
  bitbucket: ["https://bitbucket.org/u/r", "git+https://bitbucket.org/u/r.git"],
  other: ["git+ssh://git@git.example/u/r.git", "git+ssh://git@git.example/u/r.git"],
} as const;
const git = (form: 0 | 1) =>
  Object.fromEntries(Object.entries(GIT).map(([name, forms]) => [name, forms[form]]));

/** yarn 4 would install them first. */
const publishers = [
  ...names.filter((name) => name !== "yarn-4"),
  ...(isExtended ? (["npm-10"] as const) : []),
] as const;

test.concurrent.each(publishers)(
  "%s publishes git dependencies in every spelling",
  async (name) => {
    const dependencies = git(0);
    const more = {
      dependencies,
      devDependencies: dependencies,
      optionalDependencies: { x: "u/r" },
    };
    const version = await expectTaken(name, { called: `@acme/git-${name}`, more });
    expect(version["dependencies"]).toEqual(git(1));
    expect(version["optionalDependencies"]).toEqual({ x: "github:u/r" });
  },
);

const BINS: readonly [string, object, object][] = [
  ["list", { bin: ["./index.js", "b.js"] }, { "index.js": "index.js", "b.js": "b.js" }],
  ["above", { bin: { above: "../index.js" } }, { above: "index.js" }],
];

test.concurrent.each(publishers.flatMap((name) => BINS.map((bin) => [name, ...bin] as const)))(
  "%s publishes commands that are written as %s, or says itself why not",
  async (name, kind, more, expected) => {
    const version = await takenOrNotSent(name, { called: `@acme/bin-${kind}-${name}`, more });
    if (version) expect(version["bin"]).toEqual(expected);
    else expect(name).toMatch(/^pnpm|^yarn|^bun/);
  },
);

test.concurrent.each(publishers)(
  "%s publishes dependencies that are written as a list, or says itself why not",
  async (name) => {
    const more = { dependencies: ["a@^1.0.0", "b"] };
    const version = await takenOrNotSent(name, { called: `@acme/list-${name}`, more });
    // pnpm 10 takes the list for an object, in the tarball as well.
    const expected = name === "pnpm-10" ? { 0: "a@^1.0.0", 1: "b" } : { a: "^1.0.0", b: "" };
    if (version) expect(version["dependencies"]).toEqual(expected);
    else expect(name).toMatch(/^pnpm|^yarn|^bun/);
  },
);

type Wish = {
  readonly called: string;
  readonly version?: string;
  /** Further fields of package.json. */
  readonly more?: object;
  readonly files?: Readonly<Record<string, string>>;
};

async function expectTaken(
  name: ClientName,
  wish: Wish,
): Promise<Readonly<Record<string, unknown>>> {
  const version = await takenOrNotSent(name, wish);
  if (!version) throw new Error(`${name} did not send ${wish.called}`);
  return version;
}

/** Undefined where the client fails before it sends anything. */
async function takenOrNotSent(
  name: ClientName,
  { called, version = "1.0.0", more = {}, files = {} }: Wish,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  await using client = await clients.another(name);
  const manifest = { name: called, version, main: "index.js", license: "MIT", ...more };
  const all = { "index.js": "#!/usr/bin/env node\n", "yarn.lock": "", ...files };
  const sent = await client.publish(await client.folder(manifest, all));
  if (!client.requests().some(({ method }) => method === "PUT")) return undefined;
  expect(sent.code, sent.output).toBe(0);
  const { versions } = await packumentOf(clients, called);
  expect(Object.keys(versions)).toEqual(["1.0.0"]);
  return versions["1.0.0"] ?? {};
}
