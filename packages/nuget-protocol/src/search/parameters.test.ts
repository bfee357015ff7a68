import { expect, test } from "vitest";
import { frameworkGroups } from "../notation/target-framework-support.ts";
import { parseCompletionQuery, parseSearchQuery } from "./parameters.ts";
import { parseQueryText } from "./query.ts";

const page = { skip: 0, take: 20 };
const filter = { prerelease: false, semVer2: false };

test.each([
  ["", {}],
  ["skip=5&take=10", { skip: 5, take: 10 }],
  ["skip=-5&take=-1", { skip: 0, take: 0 }],
  ["skip=99999&take=99999", { skip: 3000, take: 1000 }],
  ["skip=x&take=1e3", {}],
  ["take=0", { take: 0 }],
  ["prerelease=TRUE", { prerelease: true }],
  ["prerelease=1", {}],
  ["semVerLevel=2.0.0", { semVer2: true }],
  ["semVerLevel=2.1.0-x", { semVer2: true }],
  ["semVerLevel=1.0.0", {}],
  ["semVerLevel=nonsense", {}],
  ["packageType=DotnetTool", { packageType: "DotnetTool" }],
  ["packageTypeFilter=DotnetTool", { packageType: "DotnetTool" }],
  ["packageType=", {}],
  ["includeDelisted=true&framework=&supportedFramework=", {}],
  ["framework=net8.0", { frameworks: frameworkGroups(["net8.0"], "all") }],
  [
    "framework=net8.0&framework=net472",
    { frameworks: frameworkGroups(["net8.0", "net472"], "all") },
  ],
  ["framework=net8.0,net472", { frameworks: frameworkGroups(["net8.0", "net472"], "all") }],
  [
    "supportedFramework=net8.0&supportedFramework=net472",
    { frameworks: frameworkGroups(["net8.0", "net472"], "any") },
  ],
  ["framework=.NETFramework,Version=v4.7.2", { frameworks: frameworkGroups(["net472"], "all") }],
])("reads the parameters %j", (text, expected) => {
  const parameters = new URLSearchParams(text);
  const parsedText = parseQueryText("");
  expect(parseSearchQuery(parameters)).toEqual({
    text: "",
    conditions: parsedText,
    ...page,
    ...filter,
    ...expected,
  });
  const prefix = "";
  expect(parseCompletionQuery(parameters)).toEqual({ prefix, ...page, ...filter, ...expected });
});

test.each([
  ["q=+Json%20Writer+", "Json Writer"],
  ["q=a%00b%0Ac", "a b c"],
  [`q=${"x".repeat(1000)}`, "x".repeat(256)],
])("reads the text of %j", (text, expected) => {
  const parameters = new URLSearchParams(text);
  const parsed = parseSearchQuery(parameters);
  expect(parsed).toMatchObject({ text: expected, conditions: parseQueryText(expected) });
  expect(parseCompletionQuery(parameters).prefix).toBe(expected);
});

test.each(["*", " * "])("q=%s asks for everything", (q) => {
  const parameters = new URLSearchParams({ q });
  const everything = new URLSearchParams({ q: "" });
  expect(parseSearchQuery(parameters)).toEqual(parseSearchQuery(everything));
  expect(parseCompletionQuery(parameters)).toEqual(parseCompletionQuery(everything));
  const part = parseSearchQuery(new URLSearchParams({ q: "acme*" }));
  expect(part).not.toEqual(parseSearchQuery(everything));
});
