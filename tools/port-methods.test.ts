import { expect, test } from "vitest";
import { portSizes } from "./port-methods.ts";

const methods = Array.from({ length: 9 }, (_, index) => `  method${index}(key: string): void;`);
const body = methods.join("\n");

test.each([
  ["src/object-store.ts", `export interface Store extends AsyncDisposable {\n${body}\n}`],
  ["src/ports.ts", `export type Store = {\n${body}\n};`],
  ["src/sealing/ports.ts", `export interface Store<Key> {\n${body}\n}`],
  ["src/ports.ts", `export type Store<Key> = Other & {\n${body}\n};`],
])("%s: a port is found in %j", (path, text) => {
  expect(portSizes(path, text)).toEqual([{ port: "Store", methods: 9 }]);
});

test("counts optional, generic and function-typed methods, and each name once", () => {
  const text = [
    "export interface Store {",
    "  readonly size: number;",
    "  /** read(key) */",
    "  read(key: string): void;",
    "  read(key: string, range: Range): void;",
    "  presign?(key: string): string;",
    "  find<T>(key: T): T;",
    "  readonly list: (prefix: string) => void;",
    "  write(",
    "    key: string,",
    "    more(): void,",
    "  ): Promise<void>;",
    "}",
  ].join("\n");
  expect(portSizes("src/store.ts", text)).toEqual([{ port: "Store", methods: 5 }]);
});

test("an object type outside a file of ports is not a port", () => {
  expect(portSizes("src/store.ts", `export type Store = {\n${body}\n};`)).toEqual([]);
});
