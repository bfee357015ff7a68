import { npmRegistryOf, TOKEN_PLACEHOLDER } from "../front/client-lines.ts";
import { SHELL_SAFE } from "../kit/shell-lines.ts";
import type { Snippet, SnippetPart } from "../kit/install-snippets.ts";
import type { PublicAddress } from "../kit/public-address.ts";

type Shown = {
  readonly name: string;
  readonly version: string;
  readonly commands: readonly string[];
  readonly publishedAt: Date;
};

type Reader = { readonly anonymousRead: boolean; readonly now: Date };

/** yarn 4 installs nothing younger, unless told to; pnpm 12 does when the version is named. */
const HELD_BACK_MS = 24 * 3_600 * 1_000;

/**
 * How each client takes a version, and how it learns that the package, or everything of its scope,
 * comes from here. None for names that could mean something to a shell.
 */
export function installLines(
  { name, version, commands, publishedAt }: Shown,
  address: PublicAddress,
  { anonymousRead, now }: Reader,
): readonly Snippet[] {
  if (!SHELL_SAFE.test(name) || !SHELL_SAFE.test(version)) return [];
  const exact = `${name}@${version}`;
  const rc = npmrc(name, address, anonymousRead);
  const isYoung = now.getTime() - publishedAt.getTime() < HELD_BACK_MS;
  const yarnrc = yarnrcYml(name, address, { anonymousRead, isYoung });
  const ways = [
    { key: "npm", add: "npm install", run: "npx", known: [rc] },
    { key: "pnpm", add: "pnpm add", run: "pnpm dlx", known: [rc] },
    { key: "yarn", add: "yarn add", run: "yarn dlx", known: [yarnrc, { ...rc, label: YARN_1 }] },
    { key: "bun", add: "bun add", run: "bunx", known: [rc] },
  ] as const;
  return ways.map(({ key, add, run, known }) => ({
    key,
    title: key,
    parts: [
      { label: "In the project's folder", lines: [`${add} ${exact}`] },
      ...(commands.length > 0 ? [{ label: "Or run it once", lines: [`${run} ${exact}`] }] : []),
      ...known,
    ],
  }));
}

const YARN_1 = "For yarn 1: once, in .npmrc beside package.json";

/** npm, pnpm, yarn 1 and bun read it alike. */
function npmrc(name: string, { base }: PublicAddress, anonymousRead: boolean): SnippetPart {
  const registry = npmRegistryOf(base);
  const scope = scopeOf(name);
  const key = `${registry.replace(/^https?:/, "")}:_authToken`;
  return {
    label: "Once, in .npmrc beside package.json",
    lines: [
      `${scope === undefined ? "" : `${scope}:`}registry=${registry}`,
      ...(anonymousRead ? [] : [`${key}=${TOKEN_PLACEHOLDER}`]),
    ],
    kind: "file",
  };
}

function yarnrcYml(
  name: string,
  address: PublicAddress,
  { anonymousRead, isYoung }: { readonly anonymousRead: boolean; readonly isYoung: boolean },
): SnippetPart {
  const { base, host, secure } = address;
  const scope = scopeOf(name);
  const settings = [
    `npmRegistryServer: "${npmRegistryOf(base)}"`,
    ...(anonymousRead ? [] : ["npmAlwaysAuth: true", `npmAuthToken: "${TOKEN_PLACEHOLDER}"`]),
    // Where a scope has settings of its own, that for all packages does not count.
    ...(isYoung ? ["npmMinimalAgeGate: 0"] : []),
  ];
  const plain = secure ? [] : ["unsafeHttpWhitelist:", `  - "${hostNameOf(host)}"`];
  const scoped = [
    "npmScopes:",
    `  "${scope?.slice(1)}":`,
    ...settings.map((setting) => `    ${setting}`),
  ];
  return {
    label: isYoung
      ? "Once, in .yarnrc.yml; the age gate while it is younger than a day"
      : "Once, in .yarnrc.yml beside package.json",
    lines: [...(scope === undefined ? settings : scoped), ...plain],
    kind: "file",
  };
}

function scopeOf(name: string): string | undefined {
  return name.startsWith("@") ? name.split("/")[0] : undefined;
}

function hostNameOf(host: string): string {
  return host.replace(/:\d+$/, "");
}
