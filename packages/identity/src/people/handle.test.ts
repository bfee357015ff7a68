import { describe, expect, test } from "vitest";
import { handleProblem, numberedHandle, proposeHandle } from "./handle.ts";

describe("handleProblem", () => {
  test.each(["a", "7up", "ada-lovelace", "x".repeat(39)])("accepts %s", (text) => {
    expect(handleProblem(text)).toBeUndefined();
  });

  test.each([
    ["", /allowed/],
    ["-ada", /allowed/],
    ["Ada", /allowed/],
    ["ada.l", /allowed/],
    ["x".repeat(40), /allowed/],
    ["0b8a2f66-3f4c-4d2a-9d3e-6a1c8f0e5b7d", /allowed/],
    ["admin", /reserved/],
    ["system", /reserved/],
    ["anonymous", /reserved/],
    ["first-link", /reserved/],
  ])("refuses %j", (text, problem) => {
    expect(handleProblem(text)).toMatch(problem);
  });
});

test.each([
  ["ada.lovelace@corp.example", "Ada", "ada-lovelace"],
  ["Ada-L", "Ada", "ada-l"],
  ["José_Núñez@corp.example", "José", "jose-nunez"],
  ["admin@corp.example", "Ada Lovelace", "ada-lovelace"],
  ["李@corp.example", "李", "user"],
  ["0b8a2f66-3f4c-4d2a-9d3e-6a1c8f0e5b7d", "Ada", "ada"],
  [`${"x".repeat(38)}.y`, "Ada", "x".repeat(38)],
])("proposeHandle turns %s into the handle of a person", (shown, displayName, handle) => {
  expect(proposeHandle({ shown, displayName })).toBe(handle);
});

test("numberedHandle keeps the maximum length", () => {
  expect(numberedHandle("ada", 2)).toBe("ada-2");
  expect(numberedHandle("x".repeat(39), 12)).toBe(`${"x".repeat(36)}-12`);
});
