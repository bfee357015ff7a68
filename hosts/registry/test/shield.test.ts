import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";

test("/shield/{id} is a badge with the newest listed version, under the name of the host", async () => {
  await using host = await startHost({ env: { Host__ServerName: "acme" } });
  const headers = { "x-nuget-apikey": await host.makeToken({ scopes: "read,write" }) };
  for (const version of ["1.0.0", "1.2.0", "2.0.0-beta.1"]) {
    const body = Buffer.from(buildNupkg({ id: "Acme.Badge", version }));
    const pushed = await host.fetch("/api/v2/package", { method: "PUT", headers, body });
    expect(pushed.status).toBe(201);
  }
  const badges = { "/shield/Acme.Badge": "1.2.0", "/shield/acme.badge/vpre": "2.0.0-beta.1" };
  for (const [path, version] of Object.entries(badges)) {
    const badge = await host.fetch(path);
    expect(badge.status).toBe(200);
    expect(badge.headers.get("content-type")).toBe("image/svg+xml");
    expect(await badge.text()).toContain(`aria-label="acme: ${version}"`);
  }
});
