import dns from "node:dns";
import type { LookupAddress } from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { checkedLookup, MetadataAddressError, PrivateAddressError } from "./checked-lookup.ts";
import type { AddressPermission } from "./checked-lookup.ts";

const TO_PUBLIC = { allowPrivate: false, setting: "Allow__It" };
const TO_ALL = { allowPrivate: true };

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** The addresses of a name that resolves to these. */
async function lookUp(
  addresses: readonly string[],
  permission: AddressPermission,
): Promise<readonly LookupAddress[]> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const answer = (_name: string, _options: unknown, callback: (...args: unknown[]) => void) =>
    callback(null, found);
  vi.spyOn(dns, "lookup").mockImplementation(answer as typeof dns.lookup);
  syncBuiltinESMExports();
  const { promise, resolve, reject } = Promise.withResolvers<readonly LookupAddress[]>();
  checkedLookup(permission)("name.example", { all: true }, (error, all) => {
    if (error) reject(error);
    else resolve(typeof all === "string" ? [] : all);
  });
  return promise;
}

test("a name with public addresses is called at all of them", async () => {
  const addresses = ["192.175.48.1", "2600::1"];
  const found = await lookUp(addresses, TO_PUBLIC);
  expect(found.map(({ address }) => address)).toEqual(addresses);
});

test("a name that moves to a private address is refused at its next connection", async () => {
  await expect(lookUp(["192.175.48.1"], TO_PUBLIC)).resolves.toHaveLength(1);
  const moved = lookUp(["192.168.1.1"], TO_PUBLIC);
  await expect(moved).rejects.toThrow(PrivateAddressError);
  await expect(moved).rejects.toThrow("Set Allow__It=true to allow it.");
  await expect(lookUp(["192.168.1.1"], TO_ALL)).resolves.toHaveLength(1);
});

test.each([["169.254.169.254"], ["64:ff9b::a9fe:a9fe"], ["127.0.0.1", "fd00:ec2::254"]])(
  "a name that resolves to %s is refused, even when private addresses are allowed",
  async (...addresses) => {
    await expect(lookUp(addresses, TO_PUBLIC)).rejects.toThrow();
    await expect(lookUp(addresses, TO_ALL)).rejects.toThrow(MetadataAddressError);
  },
);

test("a name without an address is an error", async () => {
  await expect(lookUp([], TO_ALL)).rejects.toThrow("name.example has no address");
});
