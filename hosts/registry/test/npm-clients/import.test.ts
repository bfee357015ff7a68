import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installedClients } from "./installed-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { packumentOf } from "./packuments.ts";

/** Files of Verdaccio 6.10.4; see the README in the same folder. */
const STORAGE = join(import.meta.dirname, "../verdaccio/storage");
const SETTINGS = { Host__OutgoingRequests__AllowPrivateAddresses: "true" };

test.runIf(installedClients().includes("npm-12"))(
  "npm 12 installs what came from a Verdaccio, and from there to another host",
  async () => {
    await using first = await openNpmClients({ only: ["npm-12"] });
    const moved = await first.host.cli("import", "npm", STORAGE);
    expect(moved.stdout, moved.stderr).toContain("5 imported, 0 existing, 1 refused, 0 failed");
    expect(moved.stderr).toContain("refused changed@1.1.0: ");
    await expectInstalled(first);

    const source = `${first.host.url}/npm/`;
    const env = { ...SETTINGS, SOURCE_TOKEN: first.token };
    await using second = await openNpmClients({ only: ["npm-12"], env });
    const words = ["--token-env", "SOURCE_TOKEN", "--pattern", "@acme/*,widgets"];
    const again = await second.host.cli("import", "npm", source, ...words);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stdout).toContain("4 imported");
    await expectInstalled(second);
    const [packument, other] = [
      await packumentOf(first, "widgets"),
      await packumentOf(second, "widgets"),
    ];
    const { modified: _, ...times } = packument.time;
    expect(other.time).toMatchObject(times);
    expect(other["dist-tags"]).toEqual(packument["dist-tags"]);
    expect(other.versions["1.0.0"]?.["deprecated"]).toBe("use 1.1.0");
  },
);

async function expectInstalled(clients: NpmClients): Promise<void> {
  const npm = clients.client("npm-12");
  const project = await npm.project({ "@acme/gears": "^0.3.0" });
  const installed = await npm.install(project);
  expect(installed.code, installed.output).toBe(0);
  const path = join(project, "node_modules/widgets/package.json");
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ version: "1.1.0" });
}
