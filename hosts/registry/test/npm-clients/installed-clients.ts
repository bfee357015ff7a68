import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isExtended } from "../../src/testing/index.ts";

/** The package managers as people have them, by family and major version. */
export const CLIENT_NAMES = [
  "npm-11",
  "npm-12",
  "pnpm-10",
  "pnpm-12",
  "yarn-1",
  "yarn-4",
  "bun",
] as const;
/** Driven by single cases only. */
type OlderClientName = "npm-10";
export type ClientName = (typeof CLIENT_NAMES)[number] | OlderClientName;

/** Program and leading arguments that start a client. */
export type Command = readonly [program: string, ...args: string[]];

const SCRIPTS: Readonly<Partial<Record<ClientName, string>>> = {
  "npm-10": "bin/npm-cli.js",
  "npm-11": "bin/npm-cli.js",
  "npm-12": "bin/npm-cli.js",
  "pnpm-10": "bin/pnpm.cjs",
  "yarn-1": "bin/yarn.js",
  "yarn-4": "bin/yarn.js",
};

const OURS = fileURLToPath(new URL("node_modules/", import.meta.url));
const commands = new Map<ClientName, Command | undefined>();

/** Undefined, with a prominent line, when a client is not installed. */
export function commandOf(name: ClientName): Command | undefined {
  if (commands.has(name)) return commands.get(name);
  const command = find(name);
  commands.set(name, command);
  if (!command)
    process.stderr.write(`\nSKIPPED: ${name} is not installed; its cases do not run\n\n`);
  return command;
}

/** The installed clients. */
export function installedClients(): readonly ClientName[] {
  return CLIENT_NAMES.filter((name) => commandOf(name) !== undefined);
}

/** Only tests of these versions themselves run with them in CI. */
const OLDER: ReadonlySet<ClientName> = new Set(["npm-11", "pnpm-10"]);

/**
 * The installed clients for tests that run the same with every client: the newest of each family,
 * and all with `SEALHOUSE_OLDER_CLIENTS`.
 */
export function testedClients(): readonly ClientName[] {
  const hasOlder = process.env["SEALHOUSE_OLDER_CLIENTS"] !== undefined;
  return installedClients().filter((name) => hasOlder || !OLDER.has(name));
}

const QUICK: ReadonlySet<ClientName> = new Set(["npm-12", "pnpm-12"]);

/**
 * The installed clients for tests of a rule that is the same for every client: npm and pnpm, and all
 * in `pnpm test:extended`. Other tests prove that the other clients have the capability.
 */
export function quickClients(): readonly ClientName[] {
  return testedClients().filter((name) => isExtended || QUICK.has(name));
}

function find(name: ClientName): Command | undefined {
  const script = SCRIPTS[name];
  if (script === undefined) {
    const binary = name === "bun" ? bunBinary() : pnpmBinary();
    return binary === undefined ? undefined : [binary];
  }
  const file = join(OURS, name, script);
  return existsSync(file) ? [process.execPath, file] : undefined;
}

/** The platform's binaries, without the installers that would put them into place. */
function pnpmBinary(): string | undefined {
  return binaryOf("pnpm-12", `@pnpm/exe.${process.platform}-${process.arch}`, "pnpm");
}

function bunBinary(): string | undefined {
  const arch = process.arch === "arm64" ? "aarch64" : process.arch;
  return binaryOf("bun", `@oven/bun-${process.platform}-${arch}`, "bin/bun");
}

/** Cases with deno, which does not publish. */
export function denoCommand(): Command | undefined {
  const libc = process.platform === "linux" ? "-glibc" : "";
  const platform = `@deno/${process.platform}-${process.arch}${libc}`;
  const program = process.platform === "win32" ? "deno.exe" : "deno";
  const binary = binaryOf("deno", platform, program);
  if (binary === undefined) process.stderr.write("\nSKIPPED: deno is not installed\n\n");
  return binary === undefined ? undefined : [binary];
}

function binaryOf(name: ClientName | "deno", platform: string, path: string): string | undefined {
  const manifest = join(OURS, name, "package.json");
  if (!existsSync(manifest)) return undefined;
  try {
    const inner = createRequire(realpathSync(manifest)).resolve(`${platform}/package.json`);
    const file = join(dirname(inner), path);
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
