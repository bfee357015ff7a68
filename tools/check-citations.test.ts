import { expect, test } from "vitest";
import { citationFaults, findFaults, readDefinitions } from "./check-citations.ts";

const rulesPage = "# Rules\n\n### R1. A promise\n\nText.\n\n### R2. A lock\n";
const casesPage =
  "| number | what |\n| --- | --- |\n| H1 | ping |\n| 1.2/4 | offset |\n| 3.8 | delete |\n";
const definitions = readDefinitions(rulesPage, casesPage);
const source = "packages/oci-distribution/src/a.ts";
const conformance = "packages/oci-distribution/src/testing/conformance/a-cases.ts";

test("every rule and case that the repository cites is defined in its docs", () => {
  expect(findFaults()).toEqual([]);
});

test("headings define rules, and the first column of a table defines cases", () => {
  expect([...definitions.rules]).toEqual(["R1", "R2"]);
  expect([...definitions.cases]).toEqual(["H1", "1.2/4", "3.8"]);
});

test.each([
  [source, "/** Rule R1. */"],
  [source, "/** Rules R1\n * and R2 hold. */"],
  [source, "switch (status) {\n  case 404:\n  case 500 :\n}"],
  [source, "a table with 4 rows, in 2 cases"],
  [conformance, 'covers: "H1, 1.2/4",'],
  ["docs/oci.md", "--only H1,1.2/4"],
  [source, "const header = 'H99';"],
])("%s: %j cites nothing without a definition", (path, content) => {
  expect(citationFaults(path, content, definitions)).toEqual([]);
});

test.each([
  [source, "/** Rule R3. */", ["1: R3 is not a rule in docs/oci-collector.md"]],
  [source, "\n/** Rules R1, R2\n * and R16 hold. */", ["2: R16 is not"]],
  [source, "(rules R1-R15)", ["1: R15 is not"]],
  [source, "// rules R1,\n// R7", ["1: R7 is not"]],
  [source, "/** Case 38 of the matrix. */", ['1: "Case 38" names nothing']],
  [source, "cases 44, 45 and 61", ['1: "cases 44" names nothing']],
  [source, "test(`row 4: x`)", []],
  [source, "/** What rows 1 to 25\n * name */", ['1: "rows 1" names nothing']],
  [source, "as row no. 7 says", ['1: "row no. 7" names nothing']],
  [conformance, '\n\ncovers: "H1, H2"', ["3: H2 is not a case", "3: H2 is not a case"]],
  [conformance, 'covers: "3.9"', ["1: 3.9 is not a case"]],
  ["docs/oci.md", "such as `1.2/44`", ["1: 1.2/44 is not a case"]],
])("%s: %j is refused", (path, content, faults) => {
  const foundFaults = citationFaults(path, content, definitions);
  expect(foundFaults).toEqual(faults.map((words) => expect.stringContaining(words)));
});
