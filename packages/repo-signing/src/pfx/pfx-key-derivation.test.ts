import { expect, test } from "vitest";
import { derivePkcs12, PURPOSE } from "./pfx-key-derivation.ts";

test("a million rounds of key derivation take 2,000 turns of the event loop", async () => {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  const key = await derivePkcs12({
    password: Buffer.from("\0s\0e\0c\0r\0e\0t\0\0", "latin1"),
    salt: Buffer.alloc(8, 1),
    iterations: 1_000_000,
    hash: "sha256",
    purpose: PURPOSE.mac,
    size: 32,
  });
  clearImmediate(next);
  expect(key).toHaveLength(32);
  expect(turns).toBeGreaterThanOrEqual(1_999);
});
