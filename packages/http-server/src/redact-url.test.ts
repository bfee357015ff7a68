import { expect, test } from "vitest";
import { redactUrl } from "./redact-url.ts";

const token = `shp_${"Ab3".repeat(16)}x`;
const imported = "0123456789abcdef0123456789abcdef";

test.each([
  [`/npm/-/user/token/${token}`, "/npm/-/user/token/[redacted]"],
  [`/npm/-/user/token/${imported}?x=1`, "/npm/-/user/token/[redacted]"],
  [`/npm/-/user/token/npm_other/more`, "/npm/-/user/token/[redacted]"],
  [`/npm/-/npm/v1/tokens/token/${imported}`, "/npm/-/npm/v1/tokens/token/[redacted]"],
  [`/npm/-/user/%74oken/${imported}`, "/npm/-/user/token/[redacted]"],
  [`/npm/-/user%2ftoken%2F${imported}`, "/npm/-/user/token/[redacted]"],
  [`/npm/-/user%252ftoken%252f${imported}`, "/npm/-/user/token/[redacted]"],
  [`/npm/-/v1/done?sessionId=abc`, "/npm/-/v1/done?sessionId=[redacted]"],
  [`/npm/-/v1/done?a=1&SESSIONID=abc&b=2`, "/npm/-/v1/done?a=1&SESSIONID=[redacted]&b=2"],
  [`/npm/${token}/x`, "/npm/[redacted]/x"],
  [`/npm/shp%5f${token.slice(4)}`, "/npm/[redacted]"],
])("logs %s without its secret", (address, shown) => {
  expect(redactUrl(address)).toBe(shown);
});

test.each([
  "/npm/@acme%2fdemo",
  "/npm/demo/-/demo-1.0.0.tgz",
  "/v3/search?q=token&take=20",
  "/token?service=x&scope=repository:a:pull",
  "/npm/-/npm/v1/tokens?page=1&perPage=10",
  "/npm/%0aevil%zz",
  "",
])("logs %j unchanged", (address) => {
  expect(redactUrl(address)).toBe(address);
});
