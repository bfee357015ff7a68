import { loadActions } from "@sealhouse/administration/api";
import { expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import { becomeAdministrator } from "../sign-in/become-administrator.ts";

const API = "/api/admin/v1";

test("a session counts for our own pages only, and changes nothing without a confirmation", async () => {
  await using host = await startHost();
  const cookie = await becomeAdministrator(host);
  const own = { cookie, "sec-fetch-site": "same-origin" };
  const read = async (headers: Readonly<Record<string, string>>) =>
    (await host.fetch(`${API}/rules`, { headers })).status;
  expect(await read(own)).toBe(200);
  for (const site of ["cross-site", "same-site", "none", "same-origin, cross-site"]) {
    expect([site, await read({ cookie, "sec-fetch-site": site })]).toEqual([site, 401]);
  }
  expect(await read({ cookie })).toBe(401);
  for (const { id, method, path, changesNothing } of await loadActions()) {
    if (method === "GET") continue;
    const filled = `${API}${path.replaceAll(/\{\w+\}/g, "none")}`;
    const send = async (headers: Readonly<Record<string, string>>, type: string) => {
      const all = { ...headers, "content-type": type, "if-match": "*" };
      return (await host.fetch(filled, { method, headers: all, body: "{}" })).status;
    };
    // A form of another site, and one of ours that nobody confirmed.
    const form = "application/x-www-form-urlencoded";
    const foreign = { cookie, "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect([id, await send(foreign, form)]).toEqual([id, 403]);
    expect([id, await send(foreign, "application/json")]).toEqual([id, 403]);
    const status = await send(own, "application/json");
    if (!changesNothing) expect([id, status]).toEqual([id, 403]);
  }
  const audit = await host.cli("audit", "list", "--json");
  expect(audit.stdout).not.toContain("policy.changed");
});
