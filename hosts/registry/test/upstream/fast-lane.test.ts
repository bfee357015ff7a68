import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { osvDocument } from "@sealhouse/advisories/testing";
import { openScriptedFeed, openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";
import { addSources } from "./add-source.ts";

const HOUR_MS = 60 * 60_000;
const YOUNG = new Date(Date.now() - HOUR_MS).toISOString();
const settings = { minimumReleaseAgeMs: 7 * 24 * HOUR_MS };

/** Writes the advisories of a source, for both protocols. */
async function writeAdvisories(folder: string, id: string, fixes: Record<string, string>) {
  await mkdir(folder);
  for (const [name, fixed] of Object.entries(fixes)) {
    for (const ecosystem of ["npm", "NuGet"]) {
      const own = `${id}-${ecosystem}-${name}`;
      const document = osvDocument({ id: own, package: name, fixed, ecosystem });
      await writeFile(join(folder, `${own}.json`), JSON.stringify(document));
    }
  }
}

test("only fixes of a listed source of advisories do not wait, and the audit log has them", async () => {
  await using folder = await openFolder();
  const [trusted, other] = [join(folder.path, "trusted"), join(folder.path, "other")];
  await writeAdvisories(trusted, "GHSA", { fixed: "1.1.0", later: "1.0.5", still: "1.1.0" });
  await writeAdvisories(other, "MINE", { claimed: "1.1.0", still: "1.2.0" });
  await using registry = await openScriptedRegistry();
  await using feed = await openScriptedFeed();
  const names = ["fixed", "later", "still", "claimed"];
  for (const name of names) {
    registry.publish(name, "1.0.0", "1.1.0");
    registry.change(name, ({ time }) => void (time["1.1.0"] = YOUNG));
    feed.put(name, "1.0.0");
    feed.put(name, "1.1.0", { published: YOUNG });
  }
  const env = {
    Signing__Mode: "",
    Feed__Vulnerabilities__Sources__0__Name: "trusted",
    Feed__Vulnerabilities__Sources__0__Path: trusted,
    Feed__Vulnerabilities__Sources__1__Name: "other",
    Feed__Vulnerabilities__Sources__1__Path: other,
    Mirror__FastLaneAdvisories__0: "trusted",
  };
  await using host = await startHost({ env });
  await addSources(host, [
    { name: "npmjs", protocol: "npm", url: registry.url, settings },
    { name: "nuget.org", protocol: "nuget", url: feed.url.href, settings },
  ]);
  const imported = await host.cli("vulnerabilities", "import");
  expect(imported.code).toBe(0);

  const npm = async (name: string) => {
    const answer = await host.fetch(`/npm/${name}`);
    const { versions } = (await answer.json()) as { versions: Record<string, unknown> };
    return Object.keys(versions);
  };
  const nuget = async (name: string) => {
    const answer = await host.fetch(`/v3/package/${name}/index.json`);
    return ((await answer.json()) as { versions: readonly string[] }).versions;
  };
  const [all, old] = [["1.0.0", "1.1.0"], ["1.0.0"]];
  for (const shown of [npm, nuget]) {
    expect(await Promise.all(names.map(shown))).toEqual([all, old, old, old]);
  }
  const filesOf = async (name: string) => {
    const paths = [
      `/npm/${name}/-/${name}-1.1.0.tgz`,
      `/v3/package/${name}/1.1.0/${name}.1.1.0.nupkg`,
    ];
    const answers = await Promise.all(paths.map((path) => host.fetch(path)));
    await Promise.all(answers.map((answer) => answer.bytes()));
    return answers.map(({ status }) => status);
  };
  expect(await Promise.all(names.map(filesOf))).toEqual([
    [200, 200],
    [403, 404],
    [403, 404],
    [403, 404],
  ]);
  const audit = await host.cli("audit", "list", "--type", "policy.admitted", "--json");
  expect(audit.stdout).toContain("npm/fixed@1.1.0");
  expect(audit.stdout).toContain("nuget/fixed@1.1.0");
  expect(audit.stdout).toContain("GHSA-npm-fixed");
  expect(audit.stdout).not.toContain("claimed");
}, 60_000);
