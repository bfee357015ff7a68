import type { NewPackage } from "@sealhouse/nuget-protocol";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { leaveTestServers, testableDatabases } from "../../testing/index.ts";
import { openTestParts } from "../../testing/open-test-parts.ts";
import type { TestParts } from "../../testing/open-test-parts.ts";

const NAMED = { id: "Acme", version: "1.0.0" };
const OVERWRITE = { overwrite: true } as const;

const EVENTS = {
  sql: "select type, subject from events where type <> 'package.published' order by id",
};

afterAll(leaveTestServers);

const bytesOf = ({ blob: { sha256 } }: NewPackage) => ({ sha256, servedSha256: sha256 });

describe.each(testableDatabases())("%s", (type) => {
  test("an overwrite keeps only the new row, and its event names the former one", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages } = parts.database.nuget;
    const old = newPackage(NAMED);
    await packages.record(old, testCaller);
    const next = newPackage(NAMED, { blob: blobOf("cd") });
    await packages.record(next, testCaller, OVERWRITE);
    expect(await texts(parts, "select storage_key as text from blobs")).toEqual([next.blob.key]);
    const details = await texts(parts, "select detail as text from events order by id");
    expect(details.map((text) => JSON.parse(text) as unknown)).toEqual([
      { size: 1234, ...bytesOf(old) },
      { size: 9, ...bytesOf(next), replaced: true, replacedSha256: old.blob.sha256 },
    ]);
  });

  test("a rule keeps a version that was downloaded since it was read", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages, retention } = parts.database.nuget;
    for (const version of ["1.0.0-A", "1.0.0"]) {
      await packages.record(newPackage({ id: "Acme", version }), testCaller);
    }
    const read = async () => {
      const [found] = await retention.page("", 10);
      const version = found?.versions.find(({ isPublishedPrerelease }) => isPublishedPrerelease);
      if (!version) throw new Error("the prerelease is not a candidate");
      return version;
    };
    const seen = await read();
    expect(seen.downloadedAt).toBeUndefined();
    const count = { protocol: "nuget", name: "Acme", version: "1.0.0-a", count: 1 } as const;
    await parts.database.downloads.add([count]);
    expect((await read()).downloadedAt).toBeInstanceOf(Date);
    expect(await retention.delete("acme", seen, testCaller)).toBe("kept");
    expect(await retention.delete("acme", await read(), testCaller)).toBe("deleted");
  });

  test("bytes exist as long as a version or symbols reference them", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages, symbols, lifecycle } = parts.database.nuget;
    const shared = newPackage(NAMED).blob;
    const other = { id: "Other", version: "1.0.0" };
    await packages.record(newPackage(NAMED), testCaller);
    await packages.record(newPackage(other, { blob: shared }), testCaller);
    const lowerName = { id: "other", version: "1.0.0" };
    await symbols.record({ ...lowerName, blob: blobOf("ab"), files: [] }, testCaller);
    const keys = () => texts(parts, "select storage_key as text from blobs order by storage_key");

    await packages.record(newPackage(NAMED, { blob: blobOf("cd") }), testCaller, OVERWRITE);
    expect(await keys()).toEqual([blobOf("ab").key, blobOf("cd").key, shared.key].toSorted());
    await lifecycle.delete("other", "1.0.0", testCaller);
    expect(await keys()).toEqual([blobOf("cd").key]);
    await lifecycle.delete("acme", "1.0.0", testCaller);
    expect(await keys()).toEqual([]);
  });

  test("every publisher of a package is its owner, once, in order", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages } = parts.database.nuget;
    const publish = (actor: string, version: string) =>
      packages.record(newPackage({ id: "Acme", version }), { actor }, OVERWRITE);
    for (const [actor, version] of [
      ["zoe", "1.0.0"],
      ["adam", "2.0.0"],
      ["zoe", "3.0.0"],
      ["ci \u0000", "1.0.0"],
    ] as const) {
      await publish(actor, version);
    }
    const [owners = "[]"] = await texts(parts, "select owners as text from nuget_packages");
    expect(JSON.parse(owners)).toEqual(["zoe", "adam", "ci \ufffd"]);
    // All at once, the last ones would wait for a connection longer than the pool allows.
    for (const minor of [0, 1, 2, 3]) {
      const bots = Array.from({ length: 30 }, (_, n) => `${minor}${n}`);
      await Promise.all(bots.map((bot) => publish(`bot ${bot}`, `9.1${bot}.0`)));
    }
    const [many = "[]"] = await texts(parts, "select owners as text from nuget_packages");
    expect(JSON.parse(many)).toHaveLength(100);
  });

  test("each actual change writes one event", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages, lifecycle } = parts.database.nuget;
    for (const version of ["1.0.0", "2.0.0"]) {
      await packages.record(newPackage({ id: "Acme", version }), testCaller);
    }
    const deprecation = { reasons: ["Other"], message: "a \u0000 b \ud800" } as const;
    for (const _ of [1, 2]) await lifecycle.deprecate("acme", "all", deprecation, testCaller);
    await lifecycle.deprecate("acme", ["1.0.0"], undefined, testCaller);
    for (const _ of [1, 2]) await lifecycle.delete("acme", "1.0.0", testCaller);
    for (const _ of [1, 2]) await lifecycle.allowReuse("acme", "1.0.0", testCaller);
    const events = (await parts.connections.port.all(EVENTS, [])).map(
      (row) => `${String(row["type"])} ${String(row["subject"])}`,
    );
    expect(events).toEqual([
      "package.deprecated nuget/Acme@1.0.0",
      "package.deprecated nuget/Acme@2.0.0",
      "package.deprecated nuget/Acme@1.0.0",
      "package.deleted nuget/Acme@1.0.0",
      "package.reuse-allowed nuget/Acme@1.0.0",
    ]);
  });

  test("concurrent overwrites and pushes of the same bytes lose nothing", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages } = parts.database.nuget;
    const blobs = [blobOf("aa"), blobOf("bb"), blobOf("cc")] as const;
    const versions = ["1.0.0", "2.0.0", "3.0.0"] as const;
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        versions.map((version, index) => {
          const blob = blobs[(index + round) % 3] ?? blobs[0];
          return packages.record(
            newPackage({ id: `Acme.${index}`, version }, { blob }),
            testCaller,
            OVERWRITE,
          );
        }),
      );
    }
    const unnamed =
      "select count(*) as total from blobs where id not in" +
      " (select blob_id from nuget_versions)";
    const lost =
      "select count(*) as total from nuget_versions where blob_id not in" +
      " (select id from blobs)";
    for (const sql of [unnamed, lost]) {
      expect(await parts.connections.port.one({ sql }, [])).toEqual({ total: 0 });
    }
  });
});

async function texts({ connections }: TestParts, sql: string): Promise<readonly string[]> {
  return (await connections.port.all({ sql }, [])).map((row) => String(row["text"]));
}

function blobOf(byte: string) {
  const sha256 = byte.repeat(32);
  return { key: `nuget/blobs/sha256/${byte}/${sha256}.1`, size: 9, sha256 };
}
