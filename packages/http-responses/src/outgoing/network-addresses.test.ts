import { expect, test } from "vitest";
import { addressKind, hostKind } from "./network-addresses.ts";

/** First and last address of each entry of IANA's special-purpose registries. */
const SPECIAL: readonly (readonly [first: string, last: string, isGloballyReachable: boolean])[] = [
  ["0.0.0.0", "0.255.255.255", false],
  ["10.0.0.0", "10.255.255.255", false],
  ["100.64.0.0", "100.127.255.255", false],
  ["127.0.0.0", "127.255.255.255", false],
  ["169.254.0.0", "169.254.255.255", false],
  ["172.16.0.0", "172.31.255.255", false],
  ["192.0.0.0", "192.0.0.255", false],
  ["192.0.2.0", "192.0.2.255", false],
  ["192.31.196.0", "192.31.196.255", true],
  ["192.52.193.0", "192.52.193.255", true],
  ["192.88.99.0", "192.88.99.255", false],
  ["192.168.0.0", "192.168.255.255", false],
  ["192.175.48.0", "192.175.48.255", true],
  ["198.18.0.0", "198.19.255.255", false],
  ["198.51.100.0", "198.51.100.255", false],
  ["203.0.113.0", "203.0.113.255", false],
  ["240.0.0.0", "255.255.255.255", false],
  ["::", "::1", false],
  ["::ffff:0:0", "::ffff:127.255.255.255", false],
  ["64:ff9b::a00:0", "64:ff9b::aff:ffff", false],
  ["64:ff9b::808:808", "64:ff9b::808:808", true],
  ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", false],
  ["100::", "100::ffff:ffff:ffff:ffff", false],
  ["100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", false],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", false],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", false],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
  ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", true],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", false],
  ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
  ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
];

test.each(SPECIAL)("%s to %s is globally reachable: %s", (first, last, isReachable) => {
  expect([addressKind(first) === "public", addressKind(last) === "public"]).toEqual([
    isReachable,
    isReachable,
  ]);
});

test.each([
  "224.0.0.1",
  "ff02::1",
  "fec0::1",
  "fe80::1%eth0",
  "::10.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:0:10.0.0.1",
  "2002:a00:1::",
  "2001:0:a00:1::",
  "not an address",
])("%s is private", (address) => {
  expect(addressKind(address)).toBe("private");
});

test.each(["8.8.8.8", "192.0.1.0", "100.128.0.0", "2600:1f18::1", "::ffff:8.8.8.8"])(
  "%s is public",
  (address) => {
    expect(addressKind(address)).toBe("public");
  },
);

test.each([
  "http://169.254.169.254/latest",
  "http://169.254.170.2/",
  "http://2852039166/",
  "http://0xa9.0xfe.0xa9.0xfe/",
  "http://[::ffff:169.254.169.254]/",
  "http://[::169.254.169.254]/",
  "http://[::ffff:0:a9fe:a9fe]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[64:ff9b:1::a9fe:a9fe]/",
  "http://[2002:a9fe:a9fe::1]/",
  "http://168.63.129.16/",
  "http://100.100.100.200/",
  "http://192.0.0.192/",
  "http://[fd00:ec2::254]/",
  "http://[fd00:ec2:0:0::23]/",
  "http://[fd20:ce::254]/",
  "http://metadata.google.internal/",
  "http://METADATA.google.internal./",
])("%s is the address of a metadata service", (url) => {
  expect(hostKind(new URL(url))).toBe("metadata");
});

test.each([
  ["http://localhost/", "private"],
  ["http://x.localhost./", "private"],
  ["http://127.1/", "private"],
  ["http://[::1]/", "private"],
  ["http://8.8.8.8/", "public"],
  ["http://packages.example/", undefined],
])("the text of %s shows the kind %s", (url, kind) => {
  expect(hostKind(new URL(url))).toBe(kind);
});
