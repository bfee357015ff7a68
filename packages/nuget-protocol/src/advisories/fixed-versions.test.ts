import { expect, test } from "vitest";
import { advisoryFixedBy } from "./fixed-versions.ts";

const advisory = (versions: string) => ({ severity: 2, url: versions, versions }) as const;

test.each([
  ["the first version after the range", "1.2.0", "(, 1.2.0)", true],
  ["the same with other zeros", "1.2.0", "[1.0, 1.2)", true],
  ["a version after the fix", "1.2.1", "(, 1.2.0)", false],
  ["an affected version", "1.1.0", "(, 1.2.0)", false],
  ["the last affected version", "1.2.0", "(, 1.2.0]", false],
  ["an unreadable range", "1.2.0", "soon", false],
])("%s: %s of %s", (_what, version, versions, isFix) => {
  expect(advisoryFixedBy(version, [advisory(versions)]) !== undefined).toBe(isFix);
});

test("a version that another advisory affects does not count as a fix", () => {
  const [trusted, other] = [advisory("(, 1.2.0)"), advisory("(, 1.3.0)")];
  expect(advisoryFixedBy("1.2.0", [trusted], [trusted, other])).toBeUndefined();
});
