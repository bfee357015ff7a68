import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSourceError } from "../source-error.ts";
import { fitsPlatforms, joinWanted } from "./join-wanted.ts";
import { readWanted, readWantedFile, WANTED_BYTES_MAX } from "./read-wanted.ts";
import type { WantedList, WantedPackage } from "./wanted.ts";
import { isGap } from "./wanted.ts";

const VECTORS = new URL("../../../../vectors/lock-files/", import.meta.url);

/** The packages of the project that each npm client locked. */
const LOCKED = [
  "@esbuild/linux-x64 0.21.5 linux x64",
  "@esbuild/win32-x64 0.21.5 win32 x64",
  "@types/ms 2.1.0",
  "is-number 4.0.0",
  "is-number 6.0.0",
  "is-number 7.0.0",
  "is-odd 2.0.0",
  "is-odd 3.0.1",
  "js-tokens 4.0.0",
  "loose-envify 1.4.0",
  "ms 2.1.3",
  "react 18.2.0",
  "use-sync-external-store 1.2.0",
];
/** Its first version had no development dependencies but `ms`. */
const LOCKED_FIRST = LOCKED.filter((line) => !/^(?:js-t|loose|react|use)/.test(line));
const withoutPlatforms = LOCKED.map((line) => line.replace(/ (?:linux|win32) x64$/, ""));

test.each([
  ["npm-11-package-lock.json", LOCKED_FIRST, ["workspace local", "workspace member"]],
  ["npm-10-package-lock.json", LOCKED, ["workspace local", "workspace member"]],
  ["pnpm-8-pnpm-lock.yaml", LOCKED, ["file local"]],
  ["pnpm-12-pnpm-lock.yaml", LOCKED, ["file local"]],
  ["yarn-1-yarn.lock", withoutPlatforms, ["file local", "url tiny"]],
  [
    "yarn-4-yarn.lock",
    LOCKED,
    ["file local", "url tiny", "workspace consumer", "workspace member"],
  ],
])("reads %s", async (file, packages, unbundled) => {
  const list = joinWanted([await readSample(file)]);
  const found = list.wanted.flatMap((entry) => (entry.protocol === "npm" ? entry : []));
  expect(found.map(lineOf).toSorted()).toEqual(packages);
  expect(list.unbundled.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual(unbundled);
  const integrity = found.find(({ name }) => name === "ms")?.integrity;
  expect(integrity).toBe(file.startsWith("yarn-4") ? undefined : MS_INTEGRITY);
});

const MS_INTEGRITY =
  "sha512-6FlzubTLZG3J2a/NVCAleEhjzq5oxgHyaCU9yYXvcLsvoVaHJq/s5xXI6/XXP6tz7R9xAOtHnSO/tXtF3WRTlA==";

test.each([
  ["dotnet-packages.lock.json", []],
  ["dotnet-project.assets.json", ["Microsoft.NETCore.App.Host.win-x64 8.0.0"]],
])("reads %s", async (file, downloads) => {
  const { wanted, unbundled } = await readSample(file);
  const packages = wanted.flatMap((entry) => (entry.protocol === "nuget" ? entry : []));
  expect(packages.map(lineOf).toSorted()).toEqual([
    "Microsoft.Extensions.DependencyInjection.Abstractions 8.0.0",
    "Microsoft.Extensions.Options 8.0.0",
    "Microsoft.Extensions.Primitives 8.0.0",
    ...downloads,
    "Newtonsoft.Json 13.0.3",
  ]);
  expect(unbundled).toMatchObject([{ kind: "workspace", name: "b" }]);
  expect(packages.find(({ name }) => name === "Newtonsoft.Json")?.integrity).toMatch(
    /^sha512-HrC5BXdl/,
  );
});

test("reads images with hosts, tags, digests and comments", async () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const text = `# the team's\nteam/app:1.0\r\n\n  acme/tool@${digest} # pinned
registry.example:5000/team/app:2@${digest}\nlocalhost/app\nbuilder:5000/app:x\n`;
  const { wanted } = await readWanted("images.txt", Buffer.from(text));
  expect(wanted.map(({ from: _from, protocol: _protocol, ...image }) => image)).toEqual([
    { name: "team/app", reference: "1.0" },
    { name: "acme/tool", reference: digest },
    { host: "registry.example:5000", name: "team/app", reference: digest, tag: "2" },
    { host: "localhost", name: "app", reference: "latest" },
    { host: "builder:5000", name: "app", reference: "x" },
  ]);
});

const npm = (packages: object) => JSON.stringify({ lockfileVersion: 3, packages });
const pnpm = (packages: string) => `lockfileVersion: '9.0'\npackages:\n${packages}`;
const berry = (resolution: string) =>
  `__metadata:\n  version: 8\n"a@x":\n  resolution: ${JSON.stringify(resolution)}\n`;

test.each([
  [
    "package-lock.json",
    npm({ "node_modules/a": { version: "1.0.0", resolved: "git+ssh://x" } }),
    "git a",
  ],
  [
    "package-lock.json",
    npm({ "node_modules/a": { version: "1.0.0", resolved: "file:a.tgz" } }),
    "file a",
  ],
  ["npm-shrinkwrap.json", npm({ "node_modules/a": { version: "latest" } }), "invalid a latest"],
  ["npm-shrinkwrap.json", npm({ "node_modules/..": { version: "1.0.0" } }), "invalid .. 1.0.0"],
  ["package-lock.json", npm({ "node_modules/a": { version: "1.0.0", inBundle: true } }), ""],
  [
    "pnpm-lock.yaml",
    pnpm("  a@https://x/a.tgz:\n    resolution: {tarball: https://x/a.tgz}\n"),
    "url a",
  ],
  ["pnpm-lock.yaml", pnpm("  a@git:\n    resolution: {type: git, repo: x, commit: y}\n"), "git a"],
  [
    "pnpm-lock.yaml",
    "lockfileVersion: '9.0'\nimporters:\n  b:\n    dependencies:\n      a: {version: link:../a}\n",
    "workspace a",
  ],
  [
    "yarn.lock",
    'a@b/a:\n  version "1.0.0"\n  resolved "https://codeload.github.com/b/a/x"\n',
    "git a",
  ],
  ["yarn.lock", berry("a@https://github.com/b/a.git#commit=1"), "git a"],
  ["yarn.lock", berry("a@portal:../a::locator=x"), "workspace a"],
  ["yarn.lock", berry("a@patch:a@npm%3A1.0.0#~/.yarn/a.patch"), ""],
  [
    "packages.acme.lock.json",
    '{"dependencies":{"net10.0":{"a b":{"resolved":"1.0"}}}}',
    "invalid a b 1.0",
  ],
])("%s: lists an entry that no registry has (case %#)", async (file, text, expected) => {
  const { wanted, unbundled } = await readWanted(file, Buffer.from(text));
  expect(wanted).toEqual([]);
  expect(unbundled.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
    expected === "" ? [] : [expected],
  );
  expect(unbundled.every(isGap)).toBe(!expected.startsWith("workspace"));
});

test.each([
  ["unknown names", "Gemfile.lock", "", /not a known list/],
  ["bytes that are not text", "images.txt", Buffer.from([0xff, 0xfe]), /UTF-8/],
  ["too many bytes", "images.txt", Buffer.alloc(WANTED_BYTES_MAX + 1), /larger than/],
  ["too many entries", "images.txt", "a\n".repeat(200_001), /more than 200000/],
  ["the lock file of npm 6", "package-lock.json", '{"dependencies":{}}', /npm 7/],
  ["broken JSON", "package-lock.json", "{", /not usable JSON/],
  ["deep JSON", "packages.lock.json", "[".repeat(1e6), /JSON/],
  ["the lock file of pnpm 7", "pnpm-lock.yaml", "lockfileVersion: 5.4\n", /pnpm 8/],
  ["deep YAML", "pnpm-lock.yaml", `a: ${"[".repeat(100_000)}`, /not usable YAML/],
  ["deep compact YAML", "pnpm-lock.yaml", "- ".repeat(50_000), /not usable YAML/],
  ["too much YAML", "pnpm-lock.yaml", "a: 1\n".repeat(500_001), /more than 500000/],
  ["aliases", "pnpm-lock.yaml", "a: &a [x]\nb: *a\n", /not usable YAML/],
  ["another yarn.lock", "yarn.lock", "a\n", /line 1: an entry must end/],
  ["a long line", "yarn.lock", `${"a".repeat(100_000)}:`, /too long/],
  ["a sentence in a list of images", "images.txt", "\nsome image", /line 2/],
  ["a path that leaves", "images.txt", "../app:1", /line 1/],
])("refuses %s", async (_, file, content, message) => {
  const reading = readWanted(file, typeof content === "string" ? Buffer.from(content) : content);
  const error: unknown = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isSourceError(error)).toBe(true);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
});

test("keys of JavaScript objects are names like others", async () => {
  const text = pnpm("  __proto__@1.0.0: {}\n  constructor@1.0.0: {}\n  toString@1.0.0: {}\n");
  const { wanted, unbundled } = await readWanted("pnpm-lock.yaml", Buffer.from(text));
  expect(wanted.map(({ name }) => name)).toEqual(["toString"]);
  expect(unbundled).toHaveLength(2);
});

test("joins a version of several files with every integrity and the widest platforms", () => {
  const entry = (more: Partial<WantedPackage>): WantedList => ({
    wanted: [{ protocol: "npm", name: "a", version: "1.0.0", from: "f", ...more }],
    unbundled: [{ kind: "git", name: "b", reason: "r", from: "f" }],
  });
  const lists = [
    entry({ integrity: "sha1-x", os: ["linux"], cpu: ["x64"] }),
    entry({ integrity: "sha512-y", cpu: ["x64"] }),
    entry({ integrity: "sha1-x", os: ["linux"], cpu: ["x64"] }),
  ];
  expect(joinWanted(lists)).toEqual({
    wanted: [
      {
        protocol: "npm",
        name: "a",
        version: "1.0.0",
        integrity: "sha1-x sha512-y",
        cpu: ["x64"],
        from: "f",
      },
    ],
    unbundled: [{ kind: "git", name: "b", reason: "r", from: "f" }],
  });
});

test.each([
  [{ os: ["linux"], cpu: ["x64"] }, true],
  [{ os: ["win32"], cpu: ["x64"] }, false],
  [{ os: ["!win32"] }, true],
  [{ os: ["!linux"] }, false],
  [{ os: ["linux"], cpu: ["arm64"] }, false],
  [{ cpu: ["any"] }, true],
  [{}, true],
])("a package for %j fits linux on x64: %s", (listed, expected) => {
  expect(fitsPlatforms(listed, { os: ["linux"], cpu: ["x64", "ia32"] })).toBe(expected);
  expect(fitsPlatforms(listed, {})).toBe(true);
});

test("reads files up to the limit", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-wanted-"));
  try {
    const path = join(folder, "images.txt");
    await writeFile(path, "team/app:1\n");
    expect((await readWantedFile(path)).wanted).toHaveLength(1);
    await truncate(path, WANTED_BYTES_MAX + 1);
    await expect(readWantedFile(path)).rejects.toThrow("larger than");
    await expect(readWantedFile(folder)).rejects.toThrow("not a file");
    await expect(readWantedFile(join(folder, "yarn.lock"))).rejects.toSatisfy(isSourceError);
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function readSample(file: string): Promise<WantedList> {
  const name = file.replace(/^[a-z]+-(?:\d+-)?/, "");
  return readWanted(name, await readFile(new URL(file, VECTORS)));
}

function lineOf({ name, version, os = [], cpu = [] }: WantedPackage): string {
  return [name, version, ...os, ...cpu].join(" ");
}
