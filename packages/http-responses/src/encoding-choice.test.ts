import { expect, test } from "vitest";
import { acceptedEncodings } from "./encoding-choice.ts";

test.each([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip", "gzip identity"],
  ["gzip,deflate", "gzip identity"],
  ["zstd,gzip,deflate", "zstd gzip identity"],
  ["gzip, zstd", "zstd gzip identity"],
  ["GZIP", "gzip identity"],
  ["x-gzip", "gzip identity"],
  ["gzip, br;q=0.9, *;q=0", "gzip br"],
  ["gzip;q=1, zstd;q=0.5", "gzip zstd identity"],
  ["gzip; q=0.5", "gzip identity"],
  ["gzip;q=0.001", "gzip identity"],
  ["gzip;q=0.5, identity", "identity gzip"],
  ["gzip;q=0", "identity"],
  ["gzip;q=0, *", "zstd br identity"],
  ["*", "zstd br gzip identity"],
  ["*;q=0", ""],
  ["identity;q=0, gzip", "gzip"],
  ["identity;q=0", ""],
  ["gzip;q=nonsense", "identity"],
  ["gzip;q=7", "identity"],
  ["br, deflate", "br identity"],
  ["gzip, deflate, br", "br gzip identity"],
  ["deflate", "identity"],
  [",,gzip,", "gzip identity"],
])("Accept-Encoding: %s means %s", (header, expected) => {
  expect(acceptedEncodings(header).join(" ")).toBe(expected);
  expect(acceptedEncodings(header).join(" ")).toBe(expected);
});

test("answers the same after a flood of invented headers", () => {
  for (let index = 0; index < 2_000; index += 1) acceptedEncodings(`gzip, invented-${index}`);
  expect(acceptedEncodings("gzip")).toEqual(["gzip", "identity"]);
});
