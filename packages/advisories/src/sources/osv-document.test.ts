import { expect, test } from "vitest";
import { OSV_BYTES_MAX } from "../formats/osv.ts";
import { readers } from "../testing/memory-registry.test.support.ts";
import { readOsvText } from "./osv-document.ts";

test.each([
  "",
  "[]",
  "null",
  '{"id":7}',
  '{"id":"../../etc/passwd"}',
  '{"id":"',
  "[".repeat(100_000),
  `{"id":"A","x":"${"x".repeat(OSV_BYTES_MAX)}"}`,
])("refuses a text that is not an OSV document (%#)", (text) => {
  const read = readOsvText(text, readers);
  expect([...read.nuget, ...read.npm]).toEqual([]);
  expect(read.problems).toHaveLength(1);
});
