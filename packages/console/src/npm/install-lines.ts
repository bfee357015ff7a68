import { npmRegistryOf, TOKEN_PLACEHOLDER } from "../kit/clients/client-lines.ts";
import { SHELL_SAFE } from "../kit/clients/shell-lines.ts";
import type { Snippet, SnippetPart } from "../kit/clients/install-snippets.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";

type Shown = {
  readonly name: string;
  readonly version: string;
  readonly commands: readonly string[];
  readonly publishedAt: Date;
};

type Reader = { readonly anonymousRead: boolean; readonly now: Date };

/**
 * By default, yarn 4 refuses versions younger than this. pnpm 12 does too, unless the version is
 * exact.
 */
const HELD_BACK_MS = 24 * 3_600 * 1_000;

/**
 * Returns instructions for each client: the install command, and the settings that direct the
 * package or its scope to this registry. Empty when a name is not safe for a shell.
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
  return ways.map(({ key, add, run, known: settings }) => ({
    key,
    title: key,
    parts: [
      { label: "In the project folder", lines: [`${add} ${exact}`] },
      ...(commands.length > 0 ? [{ label: "Or run it once", lines: [`${run} ${exact}`] }] : []),
      ...settings,
    ],
  }));
}

const YARN_1 = "yarn 1 only: once, in .npmrc next to package.json";

/** npm, pnpm, yarn 1 and bun read the same file. */
function npmrc(name: string, { base }: PublicAddress, anonymousRead: boolean): SnippetPart {
  const registry = npmRegistryOf(base);
  const scope = scopeOf(name);
  const key = `${registry.replace(/^https?:/, "")}:_authToken`;
  return {
    label: "Once, in .npmrc next to package.json",
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
    // Settings of a scope override the settings for all packages.
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
      ? "Once, in .yarnrc.yml; the age gate only for versions under a day old"
      : "Once, in .yarnrc.yml next to package.json",
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
