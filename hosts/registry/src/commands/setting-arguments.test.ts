import { expect, test } from "vitest";
import { splitArguments } from "./setting-arguments.ts";

test("distinguishes settings from the words and options of the command", () => {
  const args = [
    "token",
    "create",
    "--Feed:Name=x",
    "--name",
    "ci",
    "--Storage__Path",
    "/x",
    "--json",
  ];
  expect(splitArguments(args)).toEqual({
    settings: [
      { key: "Feed:Name", text: "x" },
      { key: "Storage__Path", text: "/x" },
    ],
    rest: ["token", "create", "--name", "ci", "--json"],
    problems: [],
  });
});

test("keys without a section are settings, too", () => {
  const { settings } = splitArguments([
    "--urls",
    "http://x",
    "--ASPNETCORE_ENVIRONMENT=Development",
  ]);
  expect(settings.map(({ key }) => key)).toEqual(["urls", "ASPNETCORE_ENVIRONMENT"]);
});

test("a value may be empty, or hold an equals sign or a line break", () => {
  expect(
    splitArguments(["--Signing:Mode=", "--Database:ConnectionString=a=b\nc"]).settings,
  ).toEqual([
    { key: "Signing:Mode", text: "" },
    { key: "Database:ConnectionString", text: "a=b\nc" },
  ]);
});

test.each([[["--Feed:Name"]], [["--Feed:Name", "--json"]]])("%j lacks a value", (args) => {
  expect(splitArguments(args).problems).toEqual([expect.stringMatching(/Feed:Name: has no value/)]);
});
