import { setTimeout as delay } from "node:timers/promises";
import { openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import type { ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addSources } from "../upstream/add-source.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { inParallel, openNpmClients } from "./npm-clients.ts";

const names = testedClients();
const DAY_MS = 24 * 60 * 60_000;
const AT_ONCE_MS = 15_000;
const REVALIDATE_MS = 300;
/** Clients that show the text of a refused download; others show its status. */
const WITH_TEXT: ReadonlySet<string> = new Set(["npm-11", "npm-12"]);

const cleanUp = new AsyncDisposableStack();
let upstream: ScriptedRegistry;
let mirror: NpmClients;

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

/** Version 1.2.0 is young. The newest by date of the others is a prerelease. */
function publishYoung(name: string): void {
  upstream.publish(name, "1.0.0", "1.1.0", "2.0.0-alpha", "1.2.0");
  upstream.change(name, ({ time }) => {
    time["2.0.0-alpha"] = ago(30 * DAY_MS);
    time["1.2.0"] = ago(DAY_MS);
  });
}

beforeAll(async () => {
  upstream = cleanUp.use(await openScriptedRegistry());
  publishYoung("caret");
  publishYoung("tagged");
  upstream.publish("locked", "1.0.0", "1.1.0");
  mirror = cleanUp.use(await openNpmClients({ only: names }));
  const { url } = upstream;
  const settings = { minimumReleaseAgeMs: 7 * DAY_MS };
  const passing = { ...settings, allow: ["locked"], revalidateAfterMs: REVALIDATE_MS };
  await addSources(mirror.host, [
    { name: "slow", protocol: "npm", url, settings },
    // Stored versions would stay allowed.
    { name: "passing", protocol: "npm", url, strategy: "ProxyOnly", settings: passing },
  ]);
});
afterAll(() => cleanUp.disposeAsync());

describe.skipIf(names.length === 0)("versions that are held back, as clients see them", () => {
  test("all clients install the highest allowed version", async () => {
    const installs = await inParallel(mirror.all, async (client) => {
      const project = await client.project({ caret: "^1.0.0", tagged: "latest" });
      const { code, output } = await client.install(project);
      return { name: client.name, code, output, asked: client.requests() };
    });
    for (const { name, code, output, asked } of installs) {
      expect(code, `${name}: ${output}`).toBe(0);
      const tarballs = asked.map(({ path }) => path).filter((path) => path.endsWith(".tgz"));
      expect(tarballs.toSorted(), name).toEqual([
        "/npm/caret/-/caret-1.1.0.tgz",
        "/npm/tagged/-/tagged-1.1.0.tgz",
      ]);
    }
  });

  test("a lock file with a held version fails at once, and npm shows the reason", async () => {
    const projects = await inParallel(mirror.all, async (client) => {
      const project = await client.project({ locked: "^1.0.0" });
      const { code, output } = await client.install(project);
      expect(code, `${client.name}: ${output}`).toBe(0);
      await client.removeInstalled(project);
      await client.clearCache();
      return { client, project };
    });
    upstream.change("locked", ({ time }) => void (time["1.1.0"] = ago(DAY_MS)));
    await expect
      .poll(async () => {
        await delay(REVALIDATE_MS);
        return (await mirror.host.fetch("/npm/locked/1.1.0")).status;
      })
      .toBe(403);
    for (const { client, project } of projects) {
      const begin = performance.now();
      const { code, output } = await client.installFrozen(project);
      expect(code, `${client.name}: ${output}`).not.toBe(0);
      expect(performance.now() - begin, client.name).toBeLessThan(AT_ONCE_MS);
      const expected = WITH_TEXT.has(client.name) ? /locked 1\.1\.0 is held back until/ : /403/;
      expect(output, client.name).toMatch(expected);
    }
  });
});
