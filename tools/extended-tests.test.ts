import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXTENDED, SLOW } from "./extended-tests.ts";

/** Words of a test file that leave tests to `pnpm test:extended`. */
const LEAVES_TESTS =
  /\b(?:extendedTest|extendedDescribe|isExtended|quickClients|SEALHOUSE_EXTENDED_TESTS)\b/;

const isListed = (file: string) => EXTENDED.some((listed) => file.startsWith(listed));

test("the extended tests have every file that leaves some of its tests to them", () => {
  const files = globSync("{packages,hosts}/*/{src,test}/**/*.test.{ts,tsx}");
  const leaving = files.filter((file) => LEAVES_TESTS.test(readFileSync(file, "utf8")));
  expect(leaving.length).toBeGreaterThan(0);
  expect(leaving.filter((file) => !isListed(file))).toEqual([]);
});

test("the extended tests have every file that other runs leave out", () => {
  const files = globSync(
    SLOW.map((name) => `{packages,hosts}/**/${name}.test.ts`),
    {
      exclude: ["**/node_modules/**", "**/dist/**"],
    },
  );
  expect(files.length).toBe(SLOW.length);
  expect(files.filter((file) => !isListed(file))).toEqual([]);
});

test("every listed path exists", () => {
  expect(EXTENDED.filter((path) => !existsSync(path))).toEqual([]);
});
