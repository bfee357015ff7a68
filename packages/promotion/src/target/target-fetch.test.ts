import { expect, test } from "vitest";
import { createTarget } from "./create-target.ts";
import { openTargetFetch } from "./target-fetch.ts";

test.each([
  ["its own origin", "https://npm.example:8443/a", true, true],
  ["an allowed origin", "https://auth.example/token", true, true],
  ["another port", "https://npm.example/a", true, false],
  ["another scheme", "http://npm.example:8443/a", true, false],
  ["the place of a redirect", "http://169.254.169.254/latest", true, false],
  ["its own origin, without the option", "https://npm.example:8443/a", false, false],
])("private addresses at %s", async (_what, address, allowPrivateNetwork, expected) => {
  const allowedOrigins = ["https://auth.example"];
  const options = { allowPrivateNetwork, allowedOrigins };
  const endpoint = "https://npm.example:8443/npm/";
  const target = createTarget({ name: "prod", protocol: "npm", endpoint, options });
  const called: boolean[] = [];
  const fetch = openTargetFetch(target, ({ allowPrivate }) => async () => {
    called.push(allowPrivate);
    return new Response();
  });
  await fetch(new URL(address), {});
  expect(called).toEqual([expected]);
});
