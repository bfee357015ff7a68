import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { openAptSources } from "./apt-sources.ts";
import type { Suite } from "./apt-sources.ts";
import { hasClient, run } from "./client.ts";
import { openFileLock } from "./file-lock.ts";

type Source = {
  /** `own` is the machine's: only what is missing here comes with its libraries. */
  readonly suite: Suite;
  readonly packages: readonly string[];
  readonly program: string;
};

/** The container clients as people have them. Those of newer suites run unpacked. */
const TOOLS = {
  skopeo: { suite: "own", packages: ["skopeo"], program: "skopeo" },
  podman: { suite: "own", packages: ["podman"], program: "podman" },
  buildah: { suite: "own", packages: ["buildah"], program: "buildah" },
  dockerd: { suite: "own", packages: ["docker.io"], program: "dockerd" },
  docker: { suite: "trixie", packages: ["docker-cli"], program: "docker" },
  "oras-1.2": { suite: "trixie", packages: ["oras"], program: "oras" },
  "cosign-2": { suite: "trixie", packages: ["cosign"], program: "cosign" },
  "oras-1.3": { suite: "sid", packages: ["oras"], program: "oras" },
  "cosign-3": { suite: "sid", packages: ["cosign"], program: "cosign" },
  crane: { suite: "sid", packages: ["crane"], program: "crane" },
  notation: { suite: "sid", packages: ["notation"], program: "notation" },
} as const satisfies Readonly<Record<string, Source>>;

export type ToolName = keyof typeof TOOLS;

export type Tool = {
  readonly command: string;
  /** For `run`: finds what the tool calls, and its libraries. */
  readonly env: Readonly<Record<string, string>>;
};

/** Kept between runs; delete it to get newer versions. */
const CACHE = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "sealhouse-tests",
  `oci-tools-${process.arch}`,
);
/** Marks a tool that could not be downloaded, so that the next test file does not try again. */
const FAILURE_HOLDS_MS = 10 * 60_000;

/**
 * A client from Debian's packages: downloaded once and unpacked outside the system, never
 * installed. Undefined, with a prominent line, when it is neither on the PATH nor available. Use it
 * as `const oras = await findTool("oras-1.2")` above `describe.skipIf(!oras)`.
 */
export async function findTool(name: ToolName): Promise<Tool | undefined> {
  const { program, suite } = TOOLS[name];
  if (suite === "own" && isOnPath(program)) return { command: program, env: {} };
  try {
    return unpacked(await fetchOnce(name), program);
  } catch (error) {
    if (isOnPath(program)) return { command: program, env: {} };
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`\nSKIPPED: ${name} cannot be had, its cases do not run: ${reason}\n\n`);
    return undefined;
  }
}

/** Runs a tool as `run` runs a command. */
export function runTool(
  { command, env }: Tool,
  args: readonly string[],
  options: Parameters<typeof run>[2] = {},
): ReturnType<typeof run> {
  return run(command, args, { ...options, env: { ...env, ...options.env } });
}

function isOnPath(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => folder !== "" && existsSync(join(folder, program)));
}

function unpacked(root: string, program: string): Tool {
  const folders = ["usr/bin", "usr/sbin", "bin", "sbin"].map((folder) => join(root, folder));
  const home = folders.find((folder) => existsSync(join(folder, program)));
  if (home === undefined) throw new Error(`its packages hold no program ${program}`);
  const env = { PATH: [...folders, process.env["PATH"] ?? ""].join(delimiter) };
  const libraries = join(root, "usr/lib");
  if (!existsSync(libraries)) return { command: join(home, program), env };
  // Debian's folder of the machine's own kind, such as x86_64-linux-gnu.
  const machine = { x64: "x86_64", arm64: "aarch64" }[process.arch as string] ?? process.arch;
  const own = join(libraries, `${machine}-linux-gnu`);
  return { command: join(home, program), env: { ...env, LD_LIBRARY_PATH: own } };
}

/** The folder that the packages of a tool are unpacked in. */
async function fetchOnce(name: ToolName): Promise<string> {
  const root = join(CACHE, name);
  if (existsSync(root)) return root;
  if (!hasClient("apt-get") || !hasClient("dpkg")) throw new Error("this is no Debian machine");
  await mkdir(CACHE, { recursive: true });
  await using _ = await openFileLock(join(CACHE, "lock"));
  if (existsSync(root)) return root;
  const failure = join(CACHE, `${name}.failed`);
  const failedAt = await stat(failure).catch(() => undefined);
  if (failedAt && Date.now() - failedAt.mtimeMs < FAILURE_HOLDS_MS) {
    throw new Error(await readFile(failure, "utf8"));
  }
  try {
    await fetchInto(root, TOOLS[name]);
    await rm(failure, { force: true });
  } catch (error) {
    await writeFile(failure, error instanceof Error ? error.message : String(error));
    throw error;
  }
  return root;
}

async function fetchInto(root: string, { suite, packages }: Source): Promise<void> {
  process.stderr.write(`\nfetching ${packages.join(", ")} for the tests\n`);
  const folder = await mkdtemp(join(CACHE, "fetching-"));
  try {
    const sources = await openAptSources(join(CACHE, `apt-${suite}`), suite);
    const packageNames = suite === "own" ? await sources.missing(packages) : packages;
    await sources.download(packageNames, folder);
    const unpackedTo = join(folder, "root");
    for (const file of await readdir(folder)) {
      if (!file.endsWith(".deb")) continue;
      const { code, output } = await run("dpkg", ["-x", join(folder, file), unpackedTo]);
      if (code !== 0) throw new Error(`${file} cannot be unpacked: ${output}`);
    }
    await rename(unpackedTo, root);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
