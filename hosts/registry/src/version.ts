import { readFileSync } from "node:fs";

/** The host's own version. */
export const VERSION = parseVersion(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

function parseVersion(manifest: string): string {
  const { version } = JSON.parse(manifest) as { version: string };
  return version;
}
