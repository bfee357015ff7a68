import { expect, test } from "vitest";
import { parsePublicAddress } from "../kit/page/public-address.ts";
import { installLines } from "./install-lines.ts";
import { repositoryAddress } from "./repository-address.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const DAY_MS = 24 * 3_600 * 1_000;

type Given = { anonymousRead?: boolean; commands?: string[]; ageMs?: number };

function linesFor(base: string, name: string, options: Given = {}) {
  const { anonymousRead = true, commands = [], ageMs = DAY_MS } = options;
  const address = parsePublicAddress(base);
  if (!address) throw new Error(base);
  const publishedAt = new Date(NOW.getTime() - ageMs);
  const shown = { name, version: "1.2.3", commands, publishedAt };
  const snippets = installLines(shown, address, { anonymousRead, now: NOW });
  return Object.fromEntries(
    snippets.map(({ key, parts }) => [key, parts.map(({ lines }) => lines.join("\n"))]),
  );
}

test("each client gets its own install line and the registry URL of the scope", () => {
  const rc = "@acme:registry=https://packages.example/npm/";
  const scopes = 'npmScopes:\n  "acme":\n    npmRegistryServer: "https://packages.example/npm/"';
  expect(linesFor("https://packages.example", "@acme/app")).toEqual({
    npm: ["npm install @acme/app@1.2.3", rc],
    pnpm: ["pnpm add @acme/app@1.2.3", rc],
    yarn: ["yarn add @acme/app@1.2.3", scopes, rc],
    bun: ["bun add @acme/app@1.2.3", rc],
  });
});

test("without a scope, all packages use the registry; http and tokens appear where needed", () => {
  const lines = linesFor("http://packages.lan:8080/r", "left-pad", {
    anonymousRead: false,
    commands: ["left-pad"],
  });
  expect(lines["npm"]).toEqual([
    "npm install left-pad@1.2.3",
    "npx left-pad@1.2.3",
    "registry=http://packages.lan:8080/r/npm/\n" +
      "//packages.lan:8080/r/npm/:_authToken=YOUR_TOKEN",
  ]);
  expect(lines["yarn"]?.[2]).toBe(
    [
      'npmRegistryServer: "http://packages.lan:8080/r/npm/"',
      "npmAlwaysAuth: true",
      'npmAuthToken: "YOUR_TOKEN"',
      "unsafeHttpWhitelist:",
      '  - "packages.lan"',
    ].join("\n"),
  );
  expect(lines["pnpm"]?.[1]).toBe("pnpm dlx left-pad@1.2.3");
  expect(lines["yarn"]?.[1]).toBe("yarn dlx left-pad@1.2.3");
  expect(lines["bun"]?.[1]).toBe("bunx left-pad@1.2.3");
});

test("yarn lines disable the age gate for versions younger than a day", () => {
  const ageMs = DAY_MS - 1;
  const lines = linesFor("https://packages.example", "@acme/app", { ageMs });
  expect(lines["pnpm"]).toHaveLength(2);
  expect(lines["yarn"]?.[1]).toMatch(/^npmScopes:\n {2}"acme":\n.*\n {4}npmMinimalAgeGate: 0$/);
  expect(lines["npm"]).toHaveLength(2);
  const plain = linesFor("https://packages.example", "left-pad", { ageMs });
  expect(plain["yarn"]?.[1]).toMatch(/\nnpmMinimalAgeGate: 0$/);
});

test.each([
  ["git+https://github.com/acme/app.git", "https://github.com/acme/app"],
  ["git://github.com/acme/app.git", "https://github.com/acme/app"],
  ["git+ssh://git@github.com/acme/app.git", "https://github.com/acme/app"],
  ["git@gitlab.com:acme/group/app.git", "https://gitlab.com/acme/group/app"],
  ["acme/app", "https://github.com/acme/app"],
  ["gitlab:acme/app#main", "https://gitlab.com/acme/app"],
  ["https://user:secret@git.example/acme/app.git", "https://git.example/acme/app"],
  ["javascript:alert(1)", undefined],
  ["git+ssh://git@host:2222/a/b", undefined],
  ["file:///srv/app.git", undefined],
  ["", undefined],
])("the repository %j is at %s", (text, address) => {
  expect(repositoryAddress(text)).toBe(address);
});
