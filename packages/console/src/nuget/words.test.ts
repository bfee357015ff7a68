import { expect, test } from "vitest";
import { countOf, formatShortCount, formatSize } from "../kit/elements/format.ts";
import { installSnippets } from "../kit/clients/install-snippets.ts";
import { externalLink } from "../kit/links/external-link.ts";
import { rangeWords } from "./range-words.ts";
import { parametersOf, parsePackageQuery } from "./search-query.ts";

test.each([
  ["[1.0.0, )", "≥ 1.0.0"],
  ["(1.0.0, )", "> 1.0.0"],
  ["[1.0.0, 2.0.0)", "≥ 1.0.0 and < 2.0.0"],
  ["(1.0.0,2.0.0]", "> 1.0.0 and ≤ 2.0.0"],
  ["(, 2.0.0]", "≤ 2.0.0"],
  ["[1.0.0]", "= 1.0.0"],
  ["[1.0.0, 1.0.0]", "= 1.0.0"],
  ["(, )", "any version"],
  ["*", "any version"],
  ["1.*", "1.*"],
  ["<script>", "<script>"],
])("the range %j is %j", (range, words) => {
  expect(rangeWords(range)).toBe(words);
});

test.each([
  [0, "0 bytes"],
  [1_023, "1023 bytes"],
  [1_536, "1.5 KB"],
  [250 * 1024, "250 KB"],
  [3 * 1024 ** 3, "3.0 GB"],
  [5_000 * 1024 ** 3, "5000 GB"],
])("%i is the size %j", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test("amounts have separators and units", () => {
  expect(formatShortCount(1_234_567)).toBe("1.2M");
  expect(countOf(1, "package")).toBe("1 package");
  expect(countOf(12_345, "package")).toBe("12,345 packages");
});

const shown = {
  id: "Acme.Core",
  version: "1.0.0-rc.1",
  packageTypes: ["Dependency"],
  developmentDependency: false,
};
const INDEX = "https://a.example/v3/index.json";
const linesOf = (fields: Partial<typeof shown> = {}) =>
  installSnippets({ ...shown, ...fields }, INDEX).flatMap(({ parts }) =>
    parts.flatMap(({ lines }) => lines),
  );

test("a library has five ways to install it", () => {
  expect(linesOf()).toEqual([
    "dotnet add package Acme.Core --version 1.0.0-rc.1",
    '<PackageReference Include="Acme.Core" Version="1.0.0-rc.1" />',
    '<PackageVersion Include="Acme.Core" Version="1.0.0-rc.1" />',
    '<PackageReference Include="Acme.Core" />',
    "source https://a.example/v3/index.json",
    "nuget Acme.Core 1.0.0-rc.1",
    "dotnet paket add Acme.Core --version 1.0.0-rc.1",
    "#:package Acme.Core@1.0.0-rc.1",
    '#r "nuget: Acme.Core, 1.0.0-rc.1"',
  ]);
});

test("a development dependency has private assets", () => {
  expect(linesOf({ developmentDependency: true })).toContain(
    "  <PrivateAssets>all</PrivateAssets>",
  );
});

test.each([
  ["DotnetTool", "dotnet tool install --global Acme.Core --version 1.0.0-rc.1"],
  ["dotnettool", "dnx Acme.Core@1.0.0-rc.1"],
  ["Template", "dotnet new install Acme.Core@1.0.0-rc.1"],
  ["MSBuildSdk", '<Sdk Name="Acme.Core" Version="1.0.0-rc.1" />'],
])("a %s is taken by %j, not by a reference", (type, line) => {
  const lines = linesOf({ packageTypes: [type] });
  expect(lines).toContain(line);
  expect(lines.join()).not.toContain("PackageReference");
});

test.each(["a;b", "$(x)", '"/><x>', "a b", "-x", ""])("%j gets no install line", (hostile) => {
  expect(linesOf({ id: hostile })).toEqual([]);
  expect(linesOf({ version: hostile })).toEqual([]);
});

test.each([
  ["https://a.example/x?y", true],
  ["http://a.example", true],
  ["javascript:alert(1)", false],
  ["ftp://a.example", false],
  ["//a.example", false],
  ["a", false],
  ["", false],
])("%j is linked to: %s", async (url, linked) => {
  const html = String(await externalLink(url, "text"));
  expect(html.startsWith("<a ")).toBe(linked);
  expect(html.includes('rel="nofollow noopener noreferrer"')).toBe(linked);
});

test("an empty query string matches everything", () => {
  expect(parsePackageQuery(new URLSearchParams())).toEqual({
    text: "",
    prerelease: true,
    packageType: "",
    framework: "",
    skip: 0,
    take: 20,
  });
});

test("a search query round-trips through its URL", () => {
  const query = {
    text: 'tags:"a&b" ü',
    prerelease: false,
    packageType: "DotnetTool",
    framework: "net8.0",
    skip: 40,
    take: 20,
  };
  expect(parsePackageQuery(parametersOf(query))).toEqual(query);
});

test.each(["-1", "x", "1e9", "99999999999999999999", " "])(
  "skip=%s changes to a valid value",
  (skip) => {
    const query = parsePackageQuery(new URLSearchParams({ skip, q: "\ud800".repeat(500) }));
    expect(query.skip).toBeGreaterThanOrEqual(0);
    expect(query.skip).toBeLessThanOrEqual(3_000);
    expect(query.text).toBe("\ufffd".repeat(256));
  },
);
