import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

function manifestOf(path: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Manifest;
}

test("a production installation has the peers of all packages that the host brings", () => {
  const { dependencies = {} } = manifestOf("hosts/registry/package.json");
  const peers = globSync("packages/*/package.json", { cwd: ROOT })
    .flatMap((path) => Object.keys(manifestOf(path).peerDependencies ?? {}))
    .filter((name) => name in dependencies && !name.startsWith("@sealhouse/"));
  const workspace = readFileSync(join(ROOT, "pnpm-workspace.yaml"), "utf8");
  const [, list = ""] = /^publicHoistPattern:\n((?: {2}- .+\n)+)/m.exec(workspace) ?? [];
  const hoisted = list.match(/[^\s"-][^\s"]*/g) ?? [];
  expect(hoisted.toSorted()).toEqual([...new Set(peers)].toSorted());
});
