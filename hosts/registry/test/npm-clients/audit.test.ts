import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { osvDocument } from "@sealhouse/advisories/testing";
import { openFolder } from "../clients/client.ts";
import { expectGolden } from "./golden.ts";
import type { ClientName } from "./installed-clients.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

/** Requests of each client. yarn 1 always asks the public registry. */
const AUDIT: Readonly<Partial<Record<ClientName, readonly string[]>>> = {
  "npm-11": ["audit"],
  "npm-12": ["audit"],
  "pnpm-10": ["audit"],
  "pnpm-12": ["audit"],
  "yarn-4": ["npm", "audit", "--all", "--recursive"],
  bun: ["audit"],
};
const auditing = testedClients().filter((name) => AUDIT[name] !== undefined);

const VULNERABLE = "@acme/holey";
const WITHIN = "uses-holey";
const SAFE = "sound";
const ID = "GHSA-hhhh-jjjj-mmmm";
const SOURCE = "Feed__Vulnerabilities__Sources__0";

/** The host answers audits from its own advisories: no other registry is reachable here. */
describe.skipIf(auditing.length === 0)("audits, as clients make them", () => {
  const cleanUp = new AsyncDisposableStack();
  let clients: NpmClients;

  beforeAll(async () => {
    const { path } = cleanUp.use(await openFolder());
    const advisories = join(path, "advisories");
    await mkdir(advisories);
    const document = osvDocument({ id: ID, package: VULNERABLE, fixed: "2.0.0", ecosystem: "npm" });
    await writeFile(join(advisories, `${ID}.json`), JSON.stringify(document));
    const env = { [`${SOURCE}__Name`]: "own", [`${SOURCE}__Path`]: advisories };
    clients = cleanUp.use(await openNpmClients({ only: auditing, env }));
    const imported = await clients.host.cli("vulnerabilities", "import");
    expect(imported.stderr).toBe("");
    expect(imported.stdout).toMatch(/^own: (1 advisory about npm packages|nothing new)/);
    for (const version of ["1.0.0", "2.0.0"]) await publish(VULNERABLE, version);
    await publish(WITHIN, "1.0.0", { dependencies: { [VULNERABLE]: "1.0.0" } });
    await publish(SAFE, "1.0.0");
  });
  afterAll(() => cleanUp.disposeAsync());

  async function publish(name: string, version: string, more: object = {}): Promise<void> {
    const [client] = clients.all;
    if (!client) throw new Error("there is no client");
    const { code, output } = await client.publish(await client.source(name, version, more));
    if (code !== 0) throw new Error(output);
  }

  async function audit(client: NpmClient, dependencies: Readonly<Record<string, string>>) {
    const project = await client.project(dependencies);
    const installed = await client.install(project);
    expect(installed.code, installed.output).toBe(0);
    client.requests();
    return client.run(AUDIT[client.name] ?? [], { cwd: project });
  }

  test.each(auditing)("%s shows the advisories, and fails", async (name) => {
    const client = clients.client(name);
    const { code, output } = await audit(client, { [WITHIN]: "1.0.0", [SAFE]: "1.0.0" });
    expect(output).toContain(VULNERABLE);
    expect(output).toContain(`Something about ${VULNERABLE}`);
    expect(output).toContain(`https://github.com/advisories/${ID}`);
    expect(output).toMatch(/high/i);
    expect(code, output).toBe(1);
    await expectGolden(`${name}/audit`, client.requests());
  });

  test.each(auditing)("%s finds nothing wrong with versions that are fixed", async (name) => {
    const { code, output } = await audit(clients.client(name), {
      [VULNERABLE]: "2.0.0",
      [SAFE]: "1.0.0",
    });
    expect(output).not.toContain(ID);
    expect(code, output).toBe(0);
  });
});
