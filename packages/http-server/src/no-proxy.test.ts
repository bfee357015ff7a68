import { expect, test } from "vitest";
import { isWithoutProxy } from "./no-proxy.ts";

test.each([
  ["https://feed.example/", "feed.example", true],
  ["https://FEED.example/", "Feed.Example", true],
  ["https://a.feed.example/", "feed.example", true],
  ["https://a.feed.example/", ".feed.example", true],
  ["https://a.feed.example/", "*.feed.example", true],
  ["https://feed.example/", ".feed.example", true],
  ["https://otherfeed.example/", "feed.example", false],
  ["https://feed.example.org/", "feed.example", false],
  ["https://feed.example/", "feed.example:443", true],
  ["http://feed.example/", "feed.example:443", false],
  ["https://feed.example:8443/", " feed.example:8443 ", true],
  ["https://feed.example/", "*", true],
  ["https://feed.example/", "", false],
  ["https://feed.example/", ".", false],
  ["http://10.1.2.3/", "10.0.0.0/8", true],
  ["http://11.1.2.3/", "10.0.0.0/8", false],
  ["http://10.1.2.3/", "10.1.2.3:80", true],
  ["http://10.1.2.3/", "10.1.2", false],
  ["http://[fd00::1]/", "fd00::/8", true],
  ["http://[fd00::1]:81/", "[fd00::1]:81", true],
  ["http://[fd00:0::1]/", "fd00::1", true],
  ["http://10.1.2.3/", "10.0.0.0/99", false],
  ["http://feed.example/", "10.0.0.0/8", false],
  ["http://localhost:5000/", "", true],
  ["http://127.8.0.1/", "", true],
  ["http://[::1]/", "", true],
] as const)("a call of %s with the entry %j goes around the proxy: %j", (url, entry, isDirect) => {
  expect(isWithoutProxy(new URL(url), ["other.example", entry])).toBe(isDirect);
});
