import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const INDEX = new URL("./index.ts", import.meta.url).href;

/** Prints the packages of all modules that one import loads. */
const PROGRAM = `
import { registerHooks } from "node:module";
const names = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/.exec(url) ?? [];
    names.add(name);
    return next(url, context);
  },
});
await import(${JSON.stringify(INDEX)});
console.log([...names].join(" "));
`;

test("a driver, and MikroORM, are loaded only when they are needed", () => {
  const node = ["--conditions=@sealhouse/source", "--input-type=module", "--eval", PROGRAM];
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const loaded = execFileSync(process.execPath, node, { cwd, encoding: "utf8" }).trim().split(" ");
  expect(loaded).toContain("kysely");
  const lazy = ["tedious", "pg", "mysql2", "better-sqlite3"];
  expect(loaded.filter((name) => lazy.includes(name) || name.startsWith("@mikro-orm/"))).toEqual(
    [],
  );
});
