// Every changeset must be one that `changeset version` can take. Looks at files alone: `changeset
// status` wants the history of the base branch, which a shallow clone does not have.
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const FORM = /^---\n(?<releases>(?:[^\n]*\n)*?)---\n(?<summary>[^]*)$/;
const RELEASE = /^"(?<name>[^"]+)": (?:major|minor|patch)$/;

/** Faults of one changeset; `packages` are the names that it may contain. */
export function faultsOf(text: string, packages: ReadonlySet<string>): readonly string[] {
  const { releases, summary } = FORM.exec(text)?.groups ?? {};
  if (releases === undefined || summary === undefined)
    return ["has no head between two lines of ---"];
  const lines = releases.split("\n").filter((line) => line !== "");
  const names = lines.map((line) => RELEASE.exec(line)?.groups?.["name"]);
  const faults = lines
    .filter((_, position) => names[position] === undefined)
    .map((line) => `${line} is not a release such as "@sealhouse/console": minor`);
  for (const [index, name] of names.entries()) {
    if (name === undefined) continue;
    if (!packages.has(name)) faults.push(`${name} is not a released package`);
    if (names.indexOf(name) < index) faults.push(`${name} is listed twice`);
  }
  if (lines.length === 0) faults.push("names no package");
  if (summary.trim() === "") faults.push("says nothing to users");
  return faults;
}

/** All packages of the workspace that are not left out of releases. */
function releasedPackages(): ReadonlySet<string> {
  const { ignore } = JSON.parse(readFileSync(".changeset/config.json", "utf8")) as {
    readonly ignore: readonly string[];
  };
  const manifests = globSync(["packages/*/package.json", "hosts/*/package.json"]);
  const names = manifests.map((path) => {
    const { name } = JSON.parse(readFileSync(path, "utf8")) as { readonly name: string };
    return name;
  });
  return new Set(names.filter((name) => !ignore.includes(name)));
}

if (import.meta.main) {
  const packages = releasedPackages();
  for (const file of globSync(".changeset/*.md").toSorted()) {
    if (basename(file) === "README.md") continue;
    for (const fault of faultsOf(readFileSync(file, "utf8"), packages)) {
      console.error(`${file}: ${fault}`);
      process.exitCode = 1;
    }
  }
}
