import { expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";

// RFC 3720, B.4, and the check value of the catalogue of CRC algorithms.
test.each([
  ["123456789", Buffer.from("123456789"), 0xe3069283],
  ["32 zeros", Buffer.alloc(32), 0x8a9136aa],
  ["32 times 0xff", Buffer.alloc(32, 0xff), 0x62a8ab43],
  ["0 to 31", Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
  ["nothing", Buffer.alloc(0), 0],
])("the checksum of %s is the published one", (_name, bytes, sum) => {
  expect(crc32c(bytes)).toBe(sum);
});
