import { publishBody } from "@sealhouse/npm-protocol/testing";
import { expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { becomeAdministrator, linkIn } from "./become-administrator.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CLOSED = { Feed__Authentication__AllowAnonymousPull: "false" };

/** Creates a token on its page, as a browser does; returns its text. */
async function createOwnToken(host: TestHost, cookie: string): Promise<string> {
  const path = "/account/new-token";
  const page = await (await host.fetch(path, { headers: { cookie } })).text();
  const proof = /name="proof"\s+value="([^"]*)"/.exec(page)?.[1] ?? "";
  const fields = { proof, name: "laptop", "scope-read": "true", expires: "1d" };
  const answer = await host.fetch(path, {
    method: "POST",
    headers: { ...FORM, cookie, "sec-fetch-site": "same-origin" },
    body: new URLSearchParams(fields).toString(),
  });
  return /shp_\w{49}/.exec(await answer.text())?.[0] ?? "";
}

test("the printed link makes an administrator, whose cookie package clients cannot use", async () => {
  await using folder = await openFolder();
  await using host = await spawnHost({ folder: folder.path, env: CLOSED });
  // The host prints the link after it says that it listens.
  await expect.poll(() => linkIn(host)).not.toBe("");
  const proxied = await host.fetch(linkIn(host), { headers: { "x-forwarded-for": "127.0.0.1" } });
  expect(proxied.status).toBe(404);
  const cookie = await becomeAdministrator(host);
  expect(cookie).toMatch(/^__Host-sealhouse-\d+=[\w-]{43}$/);
  for (const path of [
    "/packages",
    "/administration/package-sources",
    "/administration/users/administrator",
    "/account",
    "/account/tokens",
  ]) {
    const page = await host.fetch(path, { headers: { cookie } });
    expect([path, page.status, page.headers.get("cache-control")]).toEqual([
      path,
      200,
      path === "/packages" ? "private, no-cache" : "private, no-store",
    ]);
  }
  for (const path of [
    "/v3/registration/demo/index.json",
    "/npm/demo",
    "/npm/-/whoami",
    "/v2/",
    "/v2/_catalog",
  ]) {
    const answer = await host.fetch(path, { headers: { cookie } });
    expect([path, answer.status]).toEqual([path, 401]);
  }
  const authorization = `Bearer ${await createOwnToken(host, cookie)}`;
  const whoami = await host.fetch("/npm/-/whoami", { headers: { authorization } });
  expect(await whoami.json()).toEqual({ username: "administrator" });
  expect((await host.fetch(linkIn(host), { headers: { cookie } })).status).toBe(404);
  const listed = await host.cli("user", "list", "--json");
  expect(JSON.parse(listed.stdout)).toMatchObject([{ handle: "administrator" }]);
  expect(host.output().split("\n").filter(isLogOfLink)).toEqual([]);
  await host.stop();
  await using again = await spawnHost({ folder: folder.path, env: CLOSED });
  expect(linkIn(again)).toBe("");
  const kept = await again.fetch("/administration/package-sources", { headers: { cookie } });
  expect(kept.status).toBe(200);
});

/** Whether a line of the log contains the secret of the link. */
function isLogOfLink(line: string): boolean {
  return line.startsWith("{") && /first-administrator\/[\w-]{43}/.test(line);
}

test("a host with an unreachable identity provider serves packages, and prints no link", async () => {
  const provider = {
    Host__Authentication__Google__Issuer: "http://127.0.0.1:9",
    Host__Authentication__Google__ClientId: "id",
    Host__Authentication__Google__ClientSecret: "secret",
    Host__Authentication__Google__HostedDomain: "acme.example",
  };
  await using host = await spawnHost({ env: provider });
  const start = await host.fetch("/sign-in/with/google", { redirect: "manual" });
  expect([start.status, await start.text()]).toEqual([
    503,
    expect.stringContaining("Google did not answer"),
  ]);
  const authorization = `Bearer ${await host.makeToken({ scopes: "read,write" })}`;
  const headers = { authorization, "content-type": "application/json" };
  const body = publishBody({ name: "demo" });
  expect((await host.fetch("/npm/demo", { method: "PUT", headers, body })).status).toBe(200);
  expect((await host.fetch("/npm/demo")).status).toBe(200);
  expect(linkIn(host)).toBe("");
});
