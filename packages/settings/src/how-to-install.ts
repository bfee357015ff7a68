import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Returns how to install a package, as the end of a sentence. In a clone of the repository, a
 * package of the repository is there, but a first start installs only what every host needs.
 */
export function howToInstall(
  packageName: string,
  folder = dirname(fileURLToPath(import.meta.url)),
): string {
  const root = cloneOf(packageName, folder);
  if (root === undefined) {
    return `run "npm install ${packageName}" in the working folder or next to the host`;
  }
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly packageManager: string;
  };
  return `run "npx -y ${packageManager} install" in ${root}`;
}

/** Returns the root of the clone that a program runs from and that has the package. */
function cloneOf(packageName: string, from: string): string | undefined {
  const [, folder] = packageName.split("@sealhouse/");
  if (folder === undefined) return undefined;
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const isRoot = existsSync(join(at, "pnpm-workspace.yaml"));
    if (isRoot && existsSync(join(at, "packages", folder, "package.json"))) return at;
  }
  return undefined;
}
