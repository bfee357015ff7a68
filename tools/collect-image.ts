// Collects what the container image contains: `node tools/collect-image.ts /out`, after a production
// installation. `app` has the host, the packages and their dependencies; `bin` has the command.
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

const ROOT = dirname(import.meta.dirname);
const HOST = "hosts/registry";
/** Files of each package that the image has. It has no types and no build info. */
const PARTS = ["package.json", "appsettings.json", "dist", "node_modules"];
const UNUSED = /\.d\.[cm]?ts$|\.tsbuildinfo$|\/prebuilds\/(?!linux-)/;
/** Dependencies of the workspace alone. The image has its own Node. */
const OF_WORKSPACE = /^node_modules\/(?:\.bin$|node$|pkcs11js$|\.pnpm\/(?:node|pkcs11js)@)/;

const target = process.argv[2];
if (target === undefined) throw new Error("usage: node tools/collect-image.ts FOLDER");
collect(target);

function collect(folder: string): void {
  const app = join(folder, "app");
  // The mount points exist, so that new volumes get their owner.
  mkdirSync(join(folder, "data/dataprotection-keys"), { recursive: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  copy("node_modules", app);
  copy("LICENSE", app);
  const packages = globSync("packages/*", { cwd: ROOT }).filter((path) =>
    existsSync(join(ROOT, path, "dist")),
  );
  for (const path of [...packages, HOST]) {
    for (const part of PARTS) copy(join(path, part), app);
  }
  // The host looks for the package of a signing mode or a store here.
  const scope = join(app, "node_modules/@sealhouse");
  mkdirSync(scope, { recursive: true });
  for (const path of packages) symlinkSync(join("../..", path), join(scope, basename(path)));
  chmodSync(join(app, HOST, "dist/main.js"), 0o755);
  symlinkSync(`/app/${HOST}/dist/main.js`, join(folder, "bin/sealhouse"));
}

function copy(path: string, app: string): void {
  const source = join(ROOT, path);
  if (!existsSync(source)) return;
  const filter = (file: string) => !UNUSED.test(file) && !OF_WORKSPACE.test(relative(ROOT, file));
  cpSync(source, join(app, path), { recursive: true, verbatimSymlinks: true, filter });
}
