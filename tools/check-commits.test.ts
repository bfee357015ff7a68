import { expect, test } from "vitest";
import { faultsOfSubject } from "./check-commits.ts";

test.each(["Add a check of commit subjects", "Bring npm access pages to the console"])(
  "accepts %s",
  (subject) => {
    expect(faultsOfSubject(subject)).toEqual([]);
  },
);

test.each([
  ["Say the figures of images", /does not name the change/],
  ["Added a check", /imperative/],
  ["Fixing the lease", /imperative/],
  ["fix the lease", /capital/],
  ["Fix the lease.", /full stop/],
  [`Fix ${"x".repeat(70)}`, /74 characters/],
  ["Report packages that nobody can read", /Hides the actor/],
])("refuses %s", (subject, fault) => {
  expect(faultsOfSubject(subject).join("\n")).toMatch(fault);
});
