import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { saltedDigest } from "./salted-digest.ts";

test("the digest of a set is that of its salt and its sorted members, each once", () => {
  const salt = Buffer.alloc(32, 7);
  const sha256 = createHash("sha256")
    .update(salt)
    .update('["ada manage","bob read"]')
    .digest("hex");
  const digest = { salt: salt.toString("hex"), sha256 };
  expect(saltedDigest(["bob read", "ada manage", "ada manage"], salt)).toEqual(digest);
});

test("two digests of one set differ, because their salts do", () => {
  expect(saltedDigest([]).sha256).not.toBe(saltedDigest([]).sha256);
});
