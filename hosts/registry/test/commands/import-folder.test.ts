import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { runInProcess } from "../../src/testing/index.ts";

import { LONG_AGO, openFeed, openHost, put } from "./import-hosts.test.support.ts";

test("imports a folder, with the times of its files, and finds it there again", async () => {
  const host = await openHost();
  const folder = join(host.folder, "packages");
  await put(
    join(folder, "any name.nupkg"),
    buildNupkg({ id: "Acme.Widgets", version: "1.0-Beta" }),
  );
  await put(join(folder, "a/b/Other.1.0.0.NUPKG"), buildNupkg({ id: "Other", version: "1.0.0" }));
  const tomorrow = new Date(Date.now() + 86_400_000);
  await put(join(folder, "new.nupkg"), buildNupkg({ id: "New", version: "1.0.0" }), tomorrow);
  await put(join(folder, "Other.1.0.0.symbols.nupkg"), Buffer.from("an old symbol package"));
  await put(join(folder, "readme.txt"), Buffer.from("no package"));

  const first = await host.run([folder]);
  expect(first).toMatchObject({ code: 0, printed: "3 imported, 0 existing, 0 refused, 0 failed" });
  await using database = await host.database();
  const [widgets] = await database.nuget.lookup.versions("acme.widgets");
  expect(widgets).toMatchObject({ version: "1.0.0-Beta", publishedAt: LONG_AGO, listed: true });
  expect(widgets).toMatchObject({ origin: "Published" });
  const [future] = await database.nuget.lookup.versions("new");
  expect(future?.publishedAt.getTime()).toBeLessThanOrEqual(Date.now());

  expect(await host.report(folder)).toMatchObject({ code: 0, imported: 0, existing: 3 });
});

test("reports each refused file with the reason, and imports the rest", async () => {
  const host = await openHost();
  const folder = join(host.folder, "packages");
  await put(join(folder, "good.nupkg"), buildNupkg({ id: "Good", version: "1.0.0" }));
  // Clients install packages that have one file twice, or name a missing icon.
  const icon = { name: "other.png", data: "icon" };
  const metadata = "<icon>icon.png</icon>";
  const untidy = { id: "Untidy", version: "1.0.0", metadata, entries: [icon, icon] };
  await put(join(folder, "untidy.nupkg"), buildNupkg(untidy));
  await put(join(folder, "broken.nupkg"), Buffer.from("this is no zip"));
  await put(join(folder, "empty.nupkg"), Buffer.of());
  await put(
    join(folder, "escape.nupkg"),
    buildNupkg({
      id: "Escape",
      version: "1.0.0",
      files: { "../outside.txt": "x" },
    }),
  );
  await put(join(folder, "broken.snupkg"), Buffer.from("this is no zip"));
  for (const words of [["--dry-run"], []]) {
    const report = await host.report(folder, ...words);
    expect(report).toMatchObject({ code: 1, refused: 4, failed: 0 });
    expect(words.length === 0 ? report.imported : report.importable).toBe(2);
    const names = report.refusals.map(({ name }) => name).toSorted();
    expect(names).toEqual(["broken.nupkg", "broken.snupkg", "empty.nupkg", "escape.nupkg"]);
    expect(report.refusals.every(({ reason }) => reason.length > 10)).toBe(true);
  }
  const { code, stderr } = await host.run([folder]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^refused escape\.nupkg: /m);
});

test("opens neither pipes nor devices, and names of files stay on their line", async () => {
  const { folder, run } = await openHost();
  await put(join(folder, "x\n\u001b[31mfake.nupkg"), Buffer.from("this is no zip"));
  execFileSync("mkfifo", [join(folder, "pipe.fifo")]);
  await symlink("pipe.fifo", join(folder, "pipe.nupkg"));
  await symlink("/dev/zero", join(folder, "zero.nupkg"));
  const { printed, stderr } = await run([folder]);
  expect(printed).toBe("0 imported, 0 existing, 1 refused, 2 failed");
  expect(stderr).toContain("failed zero.nupkg: It is not a file.");
  expect(stderr).toContain("refused x\\u000a\\u001b[31mfake.nupkg: ");
});

test("a dry run changes nothing", async () => {
  const host = await openHost();
  const folder = join(host.folder, "packages");
  await put(join(folder, "good.nupkg"), buildNupkg({ id: "Good", version: "1.0.0" }));
  expect((await host.run([folder, "--dry-run"])).printed).toContain("1 to import, 0 existing");
  await using database = await host.database();
  expect(await database.nuget.lookup.versions("good")).toEqual([]);
  await using feed = await openFeed();
  await feed.fill("Acme", "1.0.0");
  expect(await host.report(feed.url, "--dry-run")).toMatchObject({ importable: 1, imported: 0 });
  expect(feed.requests.filter((path) => path.endsWith(".nupkg"))).toEqual([]);
  expect(existsSync(join(host.folder, "data/imports"))).toBe(false);
});

test("gives new names an owner, and counts the names without one", async () => {
  const host = await openHost();
  const env = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: join(host.folder, "data") };
  const run = (...words: readonly string[]) => runInProcess(words, { folder: host.folder, env });
  expect(await run("team", "add", "builders")).toMatchObject({ code: 0 });
  const folder = join(host.folder, "packages");
  await put(join(folder, "a.nupkg"), buildNupkg({ id: "Acme.Widgets", version: "1.0.0" }));
  await put(join(folder, "b.nupkg"), buildNupkg({ id: "Other", version: "1.0.0" }));
  const first = await host.run([folder, "--concurrency", "1"]);
  expect(first.code).toBe(0);
  expect(first.stderr).toContain("2 names have no owner");
  await put(join(folder, "c.nupkg"), buildNupkg({ id: "Acme.New", version: "1.0.0" }));
  expect(await host.run([folder, "--owner", "builders"])).toMatchObject({
    code: 0,
    printed: "1 imported, 2 existing, 0 refused, 0 failed",
  });
  expect(await run("owner", "adopt", "--dry-run", "--protocol", "nuget")).toMatchObject({
    printed: "nuget  acme.widgets\nnuget  other",
    stderr: "2 names without an owner.",
  });
  const pattern = ["--protocol", "nuget", "--pattern", "Acme.*"];
  expect(await run("owner", "adopt", ...pattern, "builders")).toMatchObject({
    code: 0,
    printed: "nuget  acme.widgets",
    stderr: "builders owns 1 name that had no owner.",
  });
  await using database = await host.database();
  const owners = async (name: string) =>
    (await database.ownership.ownerships.list({ protocol: "nuget", name })).map(
      ({ handle, level }) => `${handle} ${level}`,
    );
  expect(await owners("acme.new")).toEqual(["builders manage"]);
  expect(await owners("acme.widgets")).toEqual(["builders manage"]);
  expect(await owners("other")).toEqual([]);
  // Neither the import nor the user of the operating system is an owner.
  const shown = async (id: string) => (await database.nuget.totals.of(id)).publishers;
  expect([await shown("acme.widgets"), await shown("other")]).toEqual([["builders"], []]);
  const [record] = await database.nuget.lookup.versions("other");
  expect(record?.publishedBy).toBe("import");
});

test.each([
  [["--owner", "nobody"], "There is no user or team nobody."],
  [["--owner", "nobody", "--mirrored"], "--mirrored and --owner exclude each other"],
])("refuses %j before it imports anything", async (words, expected) => {
  const host = await openHost();
  await put(join(host.folder, "p/a.nupkg"), buildNupkg({ id: "Acme", version: "1.0.0" }));
  const { code, printed, stderr } = await host.run([join(host.folder, "p"), ...words]);
  expect({ code, printed }).toEqual({ code: 1, printed: "" });
  expect(stderr).toContain(expected);
});
