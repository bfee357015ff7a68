// Writes docs/configuration.md from the table of settings. `--check` only compares, and exits 1
// when the file is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { ownExtensions } from "../hosts/registry/src/settings/extensions.ts";
import { configurationPage } from "../hosts/registry/src/settings/page.ts";

const path = new URL("../docs/configuration.md", import.meta.url);
const page = configurationPage(await ownExtensions());

if (process.argv.includes("--check")) {
  const oldPage = readIfThere(path);
  if (oldPage !== page) {
    console.error(
      "docs/configuration.md is stale: run `node tools/generate-configuration-docs.ts`",
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(path, page);
}

function readIfThere(file: URL): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
