import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { Ran } from "../clients/client.ts";
import { run } from "../clients/client.ts";
import { environmentOf, writeSettings } from "./client-settings.ts";
import { WORDS } from "./client-words.ts";
import type { ClientName, Command } from "./installed-clients.ts";
import { commandOf } from "./installed-clients.ts";
import { openRecordingProxy } from "./recording-proxy.ts";
import type { Recorded } from "./recording-proxy.ts";

export type RunWhere = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** One client with its own home folder, cache and proxy to the host. */
export type NpmClient = AsyncDisposable & {
  readonly name: ClientName;
  readonly home: string;
  /** Where it finds the registry, with trailing slash. */
  readonly registry: string;
  /** Any words. */
  run(args: readonly string[], where?: RunWhere): Promise<Ran>;
  publish(folder: string, ...more: readonly string[]): Promise<Ran>;
  /** Resolves and installs what the `package.json` of `project` names. */
  install(project: string): Promise<Ran>;
  /** Installs from the lock file alone. */
  installFrozen(project: string): Promise<Ran>;
  /** A folder with these files and its `package.json`; includes empty files. */
  folder(manifest: object, files?: Readonly<Record<string, string>>): Promise<string>;
  /** A package to be published. */
  source(name: string, version: string, more?: object): Promise<string>;
  /** A project that depends on these. */
  project(dependencies: Readonly<Record<string, string>>): Promise<string>;
  /** Requests since the last call. */
  requests(): readonly Recorded[];
  /** Signs in with another token; undefined: with none. */
  useToken(token: string | undefined): Promise<void>;
  /** Takes everything away that an installation left in a project, but the lock file. */
  removeInstalled(project: string): Promise<void>;
  /** Forgets everything it has downloaded. */
  clearCache(): Promise<void>;
};

export type ClientOptions = {
  readonly folder: string;
  /** Address of the host, without trailing slash. */
  readonly url: string;
  readonly token?: string;
  /** Where the registry stands; default `/npm/`. */
  readonly path?: string;
  /** By which name of this machine the client calls; default its address. */
  readonly hostName?: string;
  /** Another address for the client, with its path; its requests are not recorded. */
  readonly front?: string;
  /** PEM file of an authority that the client trusts in addition to those of the machine. */
  readonly authority?: string;
};

export async function openNpmClient(name: ClientName, options: ClientOptions): Promise<NpmClient> {
  const command = commandOf(name);
  if (!command) throw new Error(`${name} is not installed`);
  await using opened = new AsyncDisposableStack();
  const proxy = opened.use(await openRecordingProxy(options.url));
  const hostName = options.hostName ?? "127.0.0.1";
  const recorded = proxy.url.replace("127.0.0.1", hostName);
  const registry = `${options.front ?? recorded}${options.path ?? "/npm/"}`;
  await mkdir(options.folder, { recursive: true });
  const home = await mkdtemp(join(options.folder, `${name}-`));
  const { authority } = options;
  const useToken = (token: string | undefined) =>
    writeSettings(name, { home, registry, token, ...(authority !== undefined && { authority }) });
  await useToken(options.token);
  await linkPrograms(home);
  const folder = createFolders(join(home, "projects"));
  const env = {
    ...environmentOf(name, home),
    ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }),
  };
  const runIt = (args: readonly string[], where: RunWhere = {}) =>
    run(command[0], [...command.slice(1), ...args], {
      cwd: where.cwd ?? home,
      env: { ...env, ...where.env },
      timeoutMs: 80_000,
    });
  const owned = opened.move();
  return {
    name,
    home,
    registry,
    run: runIt,
    async publish(cwd, ...more) {
      // yarn 4 publishes out of projects that are installed only.
      const first = name === "yarn-4" ? await runIt(WORDS[name].install, { cwd }) : undefined;
      if (first && first.code !== 0) return first;
      return runIt([...WORDS[name].publish, ...more], { cwd });
    },
    install: (cwd) => runIt(WORDS[name].install, { cwd }),
    installFrozen: (cwd) => runIt(WORDS[name].frozen, { cwd }),
    folder,
    source: (called, version, more = {}) =>
      folder(
        { name: called, version, main: "index.js", license: "MIT", ...more },
        {
          "index.js": `module.exports = ${JSON.stringify(`${called}@${version}`)};\n`,
          "README.md": `# ${called}\n`,
          "yarn.lock": "",
        },
      ),
    project: (dependencies) =>
      folder(
        { name: "consumer", version: "1.0.0", private: true, dependencies },
        { "yarn.lock": "", "pnpm-workspace.yaml": "minimumReleaseAge: 0\n" },
      ),
    requests: () => proxy.taken(),
    useToken,
    async removeInstalled(cwd) {
      if (!isAbsolute(cwd)) throw new TypeError(`"${cwd}" is not the folder of a project`);
      await remove(join(cwd, "node_modules"));
      await remove(join(cwd, ".yarn"));
    },
    clearCache: () => clearCaches(home),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function createFolders(parent: string) {
  let count = 0;
  return async (manifest: object, files: Readonly<Record<string, string>> = {}) => {
    const path = join(parent, String((count += 1)));
    await mkdir(path, { recursive: true });
    const all = { "package.json": `${JSON.stringify(manifest, null, 2)}\n`, ...files };
    for (const [file, text] of Object.entries(all)) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    }
    return path;
  };
}

/** A client that starts others finds these, and none of the machine's. */
async function linkPrograms(home: string): Promise<void> {
  const bin = join(home, "bin");
  await mkdir(bin, { recursive: true });
  await symlink(process.execPath, join(bin, "node"));
  const npm = commandOf("npm-11");
  if (npm) await writeProgram(join(bin, "npm"), npm);
}

async function writeProgram(path: string, command: Command): Promise<void> {
  const words = command.map((word) => `'${word}'`).join(" ");
  await writeFile(path, `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(path, 0o755);
}

async function clearCaches(home: string): Promise<void> {
  const caches = ["cache", "data", "state", "npm-cache", "yarn-cache", "bun-cache", "yarn", "pnpm"];
  for (const cache of caches) await remove(join(home, cache));
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}
