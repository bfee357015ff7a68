import { expect, test } from "vitest";
import { headerText } from "./reason-phrase.ts";

test.each([
  ["plain text", "plain text"],
  ["Größe überschritten", "Große uberschritten".replace("ß", "?")],
  ["line\r\nSet-Cookie: x=1", "line Set-Cookie: x=1"],
  ["tab\tnull\0bell\u0007", "tab null bell"],
  ["‘quoted’ “twice” – dash", "'quoted' \"twice\" - dash"],
  ["日本", "??"],
  ["🎉", "?"],
  ["  spaces \u00a0 ", "spaces"],
  ["x".repeat(600), "x".repeat(500)],
])("%j is sent as %j", (text, expected) => {
  expect(headerText(text)).toBe(expected);
});
