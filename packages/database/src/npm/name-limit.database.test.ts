import { coversName } from "@sealhouse/identity";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { afterAll, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const NAMES = [
  "a",
  "A",
  "ab",
  "a-b",
  "a_b",
  "a!b",
  "b.a",
  "@a/a",
  "@a/ab",
  "@ab/a",
  "@b/b-a",
  "@b/A",
];

const pattern = array(constantFrom("a", "b", "A", "@", "/", "*", "**", "-", "_", "."), {
  minLength: 1,
  maxLength: 7,
}).map((symbols) => symbols.join(""));

test.each(testableDatabases())(
  "%s: the condition matches the same names as a token's patterns",
  async (type) => {
    await using database = await openTestDatabase({ type });
    for (const name of NAMES) {
      await database.npm.recorder.publish(newNpmVersion({ name }), { actor: "alice" });
    }
    const agree = async (names: readonly string[]) => {
      const { hits } = await database.npm.search.search({ text: "", names, from: 0, size: 50 });
      const covered = NAMES.filter((name) => names.some((limit) => coversName(limit, "npm", name)));
      expect(hits.map(({ name }) => name).toSorted()).toEqual(covered.toSorted());
    };
    await agree(["@**", "**/**", "@a/**", "***"]);
    await assert(asyncProperty(array(pattern, { maxLength: 3 }), agree), { numRuns: 150 });
  },
);

afterAll(leaveTestServers);
