import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { COMPILED_CODE } from "../../src/testing/index.ts";
import type { ClientName } from "./installed-clients.ts";

export type Settings = {
  readonly home: string;
  /** With trailing slash. */
  readonly registry: string;
  /** Undefined: the client has none. */
  readonly token: string | undefined;
  /** PEM file of an authority to trust. */
  readonly authority?: string;
};

/** Writes what a user would write to reach the registry. Release ages are left alone: off. */
export async function writeSettings(name: ClientName, settings: Settings): Promise<void> {
  const { home, registry, token, authority } = settings;
  await mkdir(temporaryFolderOf(home), { recursive: true });
  const address = registry.replace(/^https?:/, "");
  const npmrc = [
    `registry=${registry}`,
    ...(token === undefined ? [] : [`${address}:_authToken=${token}`]),
    ...(authority === undefined ? [] : [`cafile=${authority}`]),
    "update-notifier=false",
    "fund=false",
    "loglevel=http",
    // yarn 1 sends its token with reads only when told to.
    "always-auth=true",
  ];
  const npmrcLines = name.startsWith("npm") ? npmrc.slice(0, -1) : npmrc;
  await writeFile(join(home, ".npmrc"), lines(npmrcLines));
  if (name === "yarn-1") {
    const yarnrc = ["disable-self-update-check true", `registry "${registry}"`];
    await writeFile(join(home, ".yarnrc"), lines(yarnrc));
  }
  if (name === "yarn-4") await writeFile(join(home, ".yarnrc.yml"), yarnSettings(settings));
}

function yarnSettings({ home, registry, token, authority }: Settings): string {
  return lines([
    `npmRegistryServer: ${JSON.stringify(registry)}`,
    ...(token === undefined ? [] : [`npmAuthToken: ${JSON.stringify(token)}`]),
    ...(authority === undefined ? [] : [`httpsCaFilePath: ${JSON.stringify(authority)}`]),
    "npmAlwaysAuth: true",
    "npmMinimalAgeGate: 0",
    "unsafeHttpWhitelist: [127.0.0.1, localhost]",
    "nodeLinker: node-modules",
    "enableTelemetry: false",
    "enableGlobalCache: false",
    "enableImmutableInstalls: false",
    "httpRetry: 0",
    `globalFolder: ${JSON.stringify(join(home, "yarn"))}`,
  ]);
}

/** Where a client puts what it needs for a moment. */
export function temporaryFolderOf(home: string): string {
  return join(home, "tmp");
}

/** Keeps every folder and cache of a client below its home, and its words few. */
export function environmentOf(name: ClientName, home: string): Record<string, string> {
  const node = dirname(process.execPath);
  const path = process.env["PATH"] ?? "";
  const env = {
    HOME: home,
    // Several clients leave folders there. Compiled code is worth sharing.
    TMPDIR: temporaryFolderOf(home),
    ...COMPILED_CODE,
    USERPROFILE: home,
    XDG_CACHE_HOME: join(home, "cache"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    // pnpm 10 publishes with the npm that it finds.
    PATH: [join(home, "bin"), node, path].join(delimiter),
    NO_COLOR: "1",
    DO_NOT_TRACK: "1",
    BUN_INSTALL: join(home, "bun"),
    BUN_INSTALL_CACHE_DIR: join(home, "bun-cache"),
  };
  if (name === "bun" || name === "yarn-4") return env;
  return {
    ...env,
    npm_config_userconfig: join(home, ".npmrc"),
    npm_config_cache: join(home, "npm-cache"),
    ...(name.startsWith("pnpm") && { PNPM_HOME: join(home, "pnpm") }),
    ...(name === "yarn-1" && { YARN_CACHE_FOLDER: join(home, "yarn-cache") }),
  };
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
