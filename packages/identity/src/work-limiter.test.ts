import { expect, test } from "vitest";
import { createWorkLimiter } from "./failure-limiter.ts";
import { networksOfAddress } from "./network.ts";

const START = Date.parse("2026-03-01T10:00:00Z");
const limits = { failuresMax: 100, windowMs: 64_000, addressesMax: 100 };

test("work is allowed while the network has some of its allowance left", () => {
  const limiter = createWorkLimiter(limits);
  const take = (address: string, cost: number, atMs = 0) =>
    limiter.take(networksOfAddress(address), new Date(START + atMs), cost);
  expect(take("192.0.2.1", 60)).toBeUndefined();
  expect(take("192.0.2.1", 60)).toBeUndefined();
  expect(take("192.0.2.1", 0)).toBe(1);
  expect(take("192.0.2.1", 1)).toBe(1);
  expect(take("192.0.2.2", 1)).toBeUndefined();
  expect(take("192.0.2.1", 0, 640)).toBeUndefined();
});

test("a clock that was two days ahead limits no network once it is right", () => {
  const limiter = createWorkLimiter(limits);
  const networks = networksOfAddress("192.0.2.1");
  const take = (at: number) => limiter.take(networks, new Date(at), 120);
  const ahead = START + 48 * 60 * 60_000;
  expect([take(ahead), take(ahead)]).toEqual([undefined, 1]);
  expect([take(START), take(START)]).toEqual([undefined, 1]);
});

test("a /48 of IPv6 has sixteen times the allowance of a /64", () => {
  const limiter = createWorkLimiter(limits);
  const take = (network: number) =>
    limiter.take(networksOfAddress(`2001:db8:0:${network}00::1`), new Date(START), 100);
  const waits = Array.from({ length: 17 }, (_, index) => take(index));
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(16);
});
