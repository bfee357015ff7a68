import { expect, test } from "vitest";
import { parseObjectKey } from "../object-store.ts";
import { createKeyPrefix } from "./key-prefix.ts";

test.each([undefined, "", " ", "/", "//"])("the prefix %j is none", (text) => {
  const names = createKeyPrefix(text);
  expect(names.nameOf(parseObjectKey("a/b"))).toBe("a/b");
  expect(names.listed("a")).toBe("a");
  expect(names.keyOf("a/b")).toBe("a/b");
});

test.each(["feeds/acme", "/feeds/acme/"])("the prefix %j is a folder", (text) => {
  const names = createKeyPrefix(text);
  expect(names.nameOf(parseObjectKey("a/b"))).toBe("feeds/acme/a/b");
  expect(names.listed("")).toBe("feeds/acme/");
  expect(names.keyOf("feeds/acme/a/b")).toBe("a/b");
});

test.each(["feeds/acme", "feeds/acme/", "feeds/acme2/a", "feeds/acme/.x", "other"])(
  "another name than those below the prefix, %s, has no key",
  (name) => {
    expect(createKeyPrefix("feeds/acme").keyOf(name)).toBeUndefined();
  },
);

test.each(["a//b", "../x", "a b", ".x"])("the prefix %j is an error of its setting", (text) => {
  expect(() => createKeyPrefix(text)).toThrow(
    expect.objectContaining({ code: "storage-setting-invalid", key: "Storage__Prefix" }),
  );
});
