import { expect, test } from "vitest";
import { StorageError, storageErrorOf } from "./storage-error.ts";

const systemError = (code: string) => Object.assign(new Error(code), { code, errno: -1 });

test.each([
  ["ENOENT", "storage-not-found"],
  ["ENOSPC", "storage-full"],
  ["EDQUOT", "storage-full"],
  ["EIO", "storage-unavailable"],
  ["EACCES", "storage-unavailable"],
  ["EMFILE", "storage-unavailable"],
  ["ENOTDIR", "storage-invalid-key"],
  ["ENAMETOOLONG", "storage-invalid-key"],
])("%s of the system is %s", (code, expected) => {
  const cause = systemError(code);
  const error = storageErrorOf(cause, "write a/b");
  expect(error).toMatchObject({ name: "StorageError", code: expected, cause });
  expect(error).toMatchObject({ message: expect.stringMatching(`^cannot write a/b: .*${code}`) });
});

test("leaves errors alone that are not the system's", () => {
  const own = new StorageError("storage-too-large", "too large");
  const foreign = Object.assign(new Error("refused"), { code: "ECUSTOM" });
  expect(storageErrorOf(own, "x")).toBe(own);
  expect(storageErrorOf(foreign, "x")).toBe(foreign);
});
