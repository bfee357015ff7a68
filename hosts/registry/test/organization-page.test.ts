import { randomUUID } from "node:crypto";
import { openOpenIdStandIn } from "@sealhouse/identity/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { freePort } from "./free-port.ts";
import { parseIni, readManual, textsOf } from "./manual-page.ts";
import { openShell } from "./page-shell.ts";
import { signInOver } from "./sign-in/moving-browser.ts";

const PAGE = await readManual("../../../docs/organization.md");
const SECTION = "Host__Authentication__Microsoft__";

function push(host: TestHost, token: string, id: string): Promise<Response> {
  const headers = { "x-nuget-apikey": token.trim() };
  const body = new Uint8Array(buildNupkg({ id, version: "1.0.0" }));
  return host.fetch("/api/v2/package/", { method: "PUT", headers, body });
}

test("the page about organizations leads from sign-in to the first publish", async () => {
  const home = `http://localhost:${await freePort()}`;
  const [ini = ""] = textsOf(PAGE, "ini");
  const keys = Object.keys(parseIni(ini)).filter((key) => key.includes("GroupIds"));
  const groups = Object.fromEntries(keys.map((key) => [key, randomUUID()]));
  const groupOf = (kind: string) => groups[`${SECTION}${kind}GroupIds__0`] ?? expect.fail(kind);
  const staff = groupOf("Required");
  await using provider = await openOpenIdStandIn({
    kind: "microsoft",
    users: {
      ada: { groups: [staff, groupOf("AdminRole")] },
      lin: { groups: [staff, groupOf("PublisherRole")] },
      max: { groups: [staff] },
    },
    redirectUris: [`${home}/signin-microsoft`],
  });
  const env = {
    ...provider.settings,
    ...groups,
    ASPNETCORE_URLS: home,
    Feed__PublicBaseUrl: home,
    Host__AllowInsecurePublicUrl: "true",
  };
  await using host = await startHost({ env });
  for (const login of ["ada", "lin", "max"]) await signInOver([host, host], { login, home });

  const shell = await openShell(host.folder, {
    ...env,
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: host.folder,
  });
  const outputs: string[] = [];
  for (const block of textsOf(PAGE, "sh")) outputs.push(await shell(block));
  const lists = outputs.at(-1) ?? "";
  for (const word of ["ada", "lin", "web", "platform", "@acme/*", "Acme.*", "acme/**"]) {
    expect(lists).toContain(word);
  }
  expect(lists).toContain("pipeline.changed");

  const create = "sealhouse token create --name laptop --scopes read,publish --user";
  const token = await shell(`${create} lin 2>/dev/null`);
  expect((await push(host, token, "Acme.Tool")).status).toBe(201);
  const consumer = await host.cli(...create.split(" ").slice(1), "max");
  expect([consumer.code, consumer.stderr]).toEqual([1, expect.stringContaining("user role max")]);
}, 120_000);
