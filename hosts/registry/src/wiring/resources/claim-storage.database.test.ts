import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { openFilesystemStore } from "@sealhouse/storage-providers/filesystem";
import { afterAll, expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { claimStorage } from "@sealhouse/feed";

const log = createLog({ level: "None", format: "Json" }, () => undefined);

test.each(testableDatabases())(
  "instances over %s that start at once claim a new storage together",
  async (type) => {
    await using opened = new AsyncDisposableStack();
    const root = await mkdtemp(join(tmpdir(), "sealhouse-claim-"));
    opened.defer(() => rm(root, { recursive: true }));
    const { config } = opened.use(await openTestPlace(type));
    // SQLite blocks this process while another connection of it migrates.
    await (await openDatabase(config))[Symbol.asyncDispose]();
    const storage = { type: "FileSystem", path: root, redirectsDownloads: false } as const;
    const start = async () => {
      const store = opened.use(await openFilesystemStore({ root }));
      const database = opened.use(await openDatabase(config));
      return claimStorage({ storage, store, database, log });
    };
    const ids = await Promise.all([start(), start(), start()]);
    expect(new Set(ids).size).toBe(1);

    const other = opened.use(await openTestPlace("Sqlite"));
    const database = opened.use(await openDatabase(other.config));
    const store = opened.use(await openFilesystemStore({ root }));
    const refused = claimStorage({ storage, store, database, log });
    await expect(refused).rejects.toMatchObject({ code: "storage-foreign" });
  },
);

afterAll(leaveTestServers);
