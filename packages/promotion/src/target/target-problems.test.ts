import { expect, test } from "vitest";
import { createTarget } from "./create-target.ts";
import { targetProblems } from "./target-problems.ts";

test.each([
  ["ftp://npm.example/", "is not an http or https URL"],
  ["https://own.example/npm/", "is an address of this registry"],
  ["http://169.254.169.254/", "is an address of a cloud's metadata service"],
  ["http://[::ffff:169.254.169.254]/", "is an address of a cloud's metadata service"],
  ["http://metadata.google.internal./", "is an address of a cloud's metadata service"],
])("the endpoint %s %s", (endpoint, words) => {
  const options = { allowPrivateNetwork: true };
  const target = createTarget({ name: "prod", protocol: "npm", endpoint, options });
  const problems = targetProblems(target, { ownOrigins: ["https://own.example"] });
  expect(problems).toEqual([{ part: "endpoint", words }]);
});
