import { expect, test } from "vitest";
import { createStandIns } from "./stand-ins.ts";

test("a hidden name has one stand-in, which says nothing about it and has its form", () => {
  const standIns = createStandIns();
  const npm = { protocol: "npm", name: "@acme/secret" } as const;
  expect(standIns.of(npm)).toMatch(/^@[0-9a-f]{20}\/[0-9a-f]{20}$/);
  expect(standIns.of(npm)).toBe(standIns.of(npm));
  expect(standIns.of(npm)).not.toBe(standIns.of({ ...npm, name: "@acme/secret2" }));
  expect(standIns.of({ protocol: "nuget", name: "acme.secret" })).toMatch(/^[0-9a-f]{20}$/);
  // Other processes have other ones.
  expect(createStandIns().of(npm)).not.toBe(standIns.of(npm));
});

test("a stand-in goes to the sources of the hidden name, and other names to their own", () => {
  const standIns = createStandIns();
  const name = standIns.of({ protocol: "npm", name: "@acme/secret" });
  expect(standIns.routed({ protocol: "npm", name }).name).toBe("@acme/secret");
  expect(standIns.routed({ protocol: "nuget", name }).name).toBe(name);
  expect(standIns.routed({ protocol: "npm", name: "left-pad" }).name).toBe("left-pad");
});

test("the stand-in of an image keeps the part of the name that decides the registry", () => {
  const standIns = createStandIns();
  const hidden = { protocol: "oci", name: "ghcr.io/acme/secret", prefix: "ghcr.io/" } as const;
  const name = standIns.of(hidden);
  expect(name).toMatch(/^ghcr\.io\/[0-9a-f]{20}\/[0-9a-f]{20}$/);
  const nameAtSource = name.slice("ghcr.io/".length);
  expect(standIns.routed({ protocol: "oci", name, nameAtSource })).toMatchObject({
    name: "ghcr.io/acme/secret",
    nameAtSource: "acme/secret",
  });
});
