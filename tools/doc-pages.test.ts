import { expect, test } from "vitest";
import {
  architectureFaults,
  brokenLinks,
  brokenMentions,
  brokenPaths,
  mapFaults,
} from "./doc-pages.ts";

const FILES = new Set(["docs/a.md", "docs/b", "docs/b/c.md", "packages/jobs/src/leases.ts"]);
const SECTION = "- [a](a.md)\n- [c](b/c.md)\n";
const MAP = ["Use", "Operate", "Extend", "Contribute"]
  .map((group) => `## ${group}\n${SECTION}`)
  .join("\n");

test("finds links to absent files and headings, and ignores code and other hosts", () => {
  const text = "# The `host`: two\n[x](b/c.md) [y](#the-host-two) [w](https://a.example/b.md)";
  const bad = "[x](d.md) [y](b/c.md#two) `[z](e.md)`\n```md\n[v](f.md)\n```\n[u](#three)";
  const page = (own: string) =>
    new Map([
      ["docs/a.md", own],
      ["docs/b/c.md", "# One"],
    ]);
  expect(brokenLinks(page(text), FILES)).toEqual([]);
  expect(brokenLinks(page(bad), FILES)).toEqual([
    "docs/a.md: links to d.md, which does not exist",
    "docs/a.md: links to b/c.md#two: the page has no such heading",
    "docs/a.md: links to #three: the page has no such heading",
  ]);
});

test("finds names of pages that do not exist", () => {
  const text = "See `docs/gone.md`, docs/a.md and ../docs/other.md.";
  expect(brokenMentions(new Map([["x.ts", text]]), FILES)).toEqual([
    "x.ts: names docs/gone.md, which does not exist",
  ]);
});

test("finds paths that do not exist", () => {
  const text =
    "`jobs/src/leases.ts`, `jobs/src/<x>.ts`, `test packages/jobs/src/gone.ts`, `a/b`, `docs/b/`";
  const files = new Set([...FILES, "packages/jobs/src"]);
  expect(brokenPaths("X.md", text, files)).toEqual([
    "X.md: names packages/jobs/src/gone.ts, which does not exist",
  ]);
});

test("both maps have the four groups, and that of docs lists every page but decisions", () => {
  const pages = new Map([
    ["README.md", MAP],
    ["docs/README.md", MAP],
    ["docs/a.md", ""],
    ["docs/b/c.md", ""],
    ["docs/decisions/0001-x.md", ""],
  ]);
  expect(mapFaults(pages)).toEqual([]);
  const worse = new Map([...pages, ["docs/d.md", ""], ["README.md", MAP.replace("## Use", "Use")]]);
  expect(mapFaults(worse)).toEqual([
    "docs/README.md: does not list docs/d.md",
    'README.md: has no links below a heading "Use"',
  ]);
});

test("ARCHITECTURE.md has at most 120 lines of 150 columns, and 20 rows of places", () => {
  const rows = (count: number) => "| x | y |\n".repeat(count + 2);
  const page = (count: number, rest: string) => `## Where do I find\n\n${rows(count)}\n${rest}`;
  expect(architectureFaults(page(20, "x".repeat(150)))).toEqual([]);
  expect(architectureFaults(page(21, `${"x".repeat(151)}${"\n.".repeat(100)}`))).toEqual([
    "ARCHITECTURE.md: has 127 lines, at most 120",
    "ARCHITECTURE.md: has 151 columns in line 27, at most 150",
    'ARCHITECTURE.md: has 21 rows in "Where do I find", at most 20',
  ]);
  expect(architectureFaults("# Architecture")).toHaveLength(1);
});
