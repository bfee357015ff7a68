import { expect, test } from "vitest";
import { dependencyNamesOf } from "./install-fields.ts";

test("names all packages that one is installed with, each once", () => {
  const names = dependencyNamesOf({
    name: "demo",
    dependencies: { b: "1", "@acme/a": "^1", alias: "npm:@acme/real@2", other: "npm:plain" },
    optionalDependencies: { Upper: "*" },
    peerDependencies: { b: "2", react: ">=18" },
    devDependencies: { vitest: "1" },
  });
  expect(names).toEqual(["@acme/a", "@acme/real", "b", "plain", "react", "upper"]);
});

test("leaves out what cannot be the name of a package", () => {
  const dependencies = { "a b": "1", "\u0000": "1", "../x": "1", ["x".repeat(215)]: "1", ok: "1" };
  expect(dependencyNamesOf({ name: "demo", dependencies })).toEqual(["ok"]);
});
