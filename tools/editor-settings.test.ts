import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");
const FILES = [
  ".devcontainer/devcontainer.json",
  ".vscode/extensions.json",
  ".vscode/launch.json",
  ".vscode/settings.json",
];

test.each(FILES)("%s is JSON, and what it names in the workspace exists", (path) => {
  const text = read(path);
  expect(JSON.parse(text)).toBeTypeOf("object");
  const paths = [...text.matchAll(/\$\{workspaceFolder\}\/([^"$]+)"/g)].map(([, file]) => file);
  if (path.endsWith("launch.json")) expect(paths).not.toEqual([]);
  expect(paths.filter((file = "") => !existsSync(new URL(file, ROOT)))).toEqual([]);
});

test("the container has the Node of the workspace", () => {
  const [, major = "none"] = /^ {2}node: (\d+)\./m.exec(read("pnpm-workspace.yaml")) ?? [];
  expect(read(".devcontainer/devcontainer.json")).toContain(`typescript-node:${major}-`);
});

test("the editor and the container recommend the same extensions", () => {
  const { recommendations } = JSON.parse(read(".vscode/extensions.json")) as {
    readonly recommendations: readonly string[];
  };
  const container = JSON.parse(read(".devcontainer/devcontainer.json")) as {
    readonly customizations: { readonly vscode: { readonly extensions: readonly string[] } };
  };
  expect(container.customizations.vscode.extensions).toEqual(recommendations);
});
