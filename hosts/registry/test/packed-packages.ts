import { lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openFolder, run } from "./clients/client.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PNPM = join(ROOT, "hosts/registry/test/npm-clients/node_modules/pnpm-12/bin/pnpm.mjs");
/** The oldest supported Node and the newest LTS, by the major version. */
export const NODES = { "22": "22.15.0", "24": "24.21.0" } as const;

/** A folder in which npm has installed the packed packages, and nothing of the workspace. */
export type PackedInstall = AsyncDisposable & {
  readonly folder: string;
  /** The environment in which `node` is this version. */
  env(node: keyof typeof NODES): Readonly<Record<string, string>>;
};

/** Builds and packs all packages, and installs the tarballs as a user would. */
export async function installPacked(): Promise<PackedInstall> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder()).path;
  const tarballs = join(folder, "tarballs");
  await mkdir(tarballs);
  await requireSuccess("tsc", ["--build"], ROOT);
  await requireSuccess(process.execPath, ["bundle-kysely.mjs"], join(ROOT, "packages/database"));
  const some = ["./packages/*", "!./packages/benchmarks", "./hosts/registry"];
  const pack = [...some.map((filter) => `--filter=${filter}`), "-r", "pack"];
  await requireSuccess(process.execPath, [PNPM, ...pack, "--pack-destination", tarballs], ROOT);
  const node = (major: keyof typeof NODES) =>
    `node-${major}@npm:node-${process.platform}-${process.arch}@${NODES[major]}`;
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const more = ["hono", "@hono/node-server", "@types/node@24", node("22"), node("24")].join(" ");
  const install = `npm install --no-audit --no-fund ${more} ./tarballs/*.tgz`;
  await requireSuccess("sh", ["-c", install], folder);
  const owned = opened.move();
  return {
    folder,
    env: (major) => ({
      HOME: folder,
      PATH: [
        join(folder, `node_modules/node-${major}/bin`),
        join(folder, "node_modules/.bin"),
        process.env["PATH"] ?? "",
      ].join(delimiter),
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A folder in which npm has installed one packed package with its dependencies. */
export async function installOne(
  { folder: packedIn }: PackedInstall,
  name: string,
): Promise<AsyncDisposable & { readonly folder: string }> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder()).path;
  const tarballs = new Map<string, string>();
  for (const file of await readdir(join(packedIn, "tarballs"))) {
    const [, short] = /^sealhouse-(.+)-\d+\.\d+\.\d+[^/]*\.tgz$/.exec(file) ?? [];
    if (short === undefined) throw new Error(`${file} is not a tarball of a package`);
    tarballs.set(`@sealhouse/${short}`, `file:${join(packedIn, "tarballs", file)}`);
  }
  const dependencies = { [name]: tarballs.get(name) };
  tarballs.delete(name);
  const manifest = { private: true, dependencies, overrides: Object.fromEntries(tarballs) };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await requireSuccess("npm", ["install", "--no-audit", "--no-fund"], folder);
  const owned = opened.move();
  return { folder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Bytes of a file or folder, as `du --apparent-size` counts them. */
export async function bytesOf(path: string): Promise<number> {
  const found = await lstat(path);
  let bytes = found.size;
  if (!found.isDirectory()) return bytes;
  for (const name of await readdir(path)) bytes += await bytesOf(join(path, name));
  return bytes;
}

async function requireSuccess(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${output}`);
}
