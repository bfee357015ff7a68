import type * as Fs from "node:fs";
import { closeSync, fdatasync, fdatasyncSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogSync } from "./log-sync.ts";
import { openSqlite } from "./sqlite.ts";

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof Fs>();
  const { fdatasync: beside, fdatasyncSync: direct, closeSync: close } = fs;
  return { ...fs, fdatasync: vi.fn(beside), fdatasyncSync: vi.fn(direct), closeSync: vi.fn(close) };
});

let folder: string;
const opened: Database.Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sealhouse-log-"));
});

afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(folder, { recursive: true });
  vi.resetAllMocks();
});

function openWritten(path: string): void {
  const database = new Database(path);
  opened.push(database);
  database.pragma("journal_mode = wal");
  database.exec("create table notes (text text)");
}

/** A disk that takes so long for each sync. */
function slowDisk(ms: number): void {
  vi.mocked(fdatasyncSync).mockImplementation(() => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  });
  vi.mocked(fdatasync).mockImplementation((_, done) => void setTimeout(() => done(null), ms));
}

const direct = () => vi.mocked(fdatasyncSync).mock.calls.map(([descriptor]) => descriptor);
const beside = () => vi.mocked(fdatasync).mock.calls.map(([descriptor]) => descriptor);

test("syncs the log of a file or link through one descriptor", async () => {
  const path = join(folder, "feed.db");
  openWritten(path);
  const linked = join(folder, "linked.db");
  symlinkSync(path, linked);
  for (const name of [path, linked]) {
    vi.clearAllMocks();
    const log = createLogSync(name);
    await log.sync();
    await log.sync();
    log.close();
    await log.sync();
    const used = [...direct(), ...beside()];
    expect(used).toHaveLength(2);
    expect(used[0]).toBe(used[1]);
    expect(closeSync).toHaveBeenCalledExactlyOnceWith(used[0]);
  }
});

test("syncs nothing before the first write", async () => {
  const path = join(folder, "feed.db");
  await createLogSync(path).sync();
  openWritten(path);
  expect([...direct(), ...beside()]).toEqual([]);
});

test("syncs a slow disk in another thread until it is fast again", async () => {
  const path = join(folder, "feed.db");
  openWritten(path);
  const log = createLogSync(path);
  slowDisk(10);
  for (let count = 0; count < 3; count += 1) await log.sync();
  expect([direct().length, beside().length]).toEqual([1, 2]);
  vi.mocked(fdatasync).mockImplementation((_, done) => done(null));
  for (let count = 0; count < 20; count += 1) await log.sync();
  expect(direct().length).toBeGreaterThan(1);
  log.close();
});

test.each(["at once", "beside"])(
  "a sync that fails %s makes the database unusable",
  async (how) => {
    const path = join(folder, "feed.db");
    openWritten(path);
    const log = createLogSync(path);
    const broken = new Error("EIO: i/o error");
    if (how === "beside") {
      slowDisk(10);
      await log.sync();
    }
    log.assertSound();
    vi.mocked(fdatasyncSync).mockImplementation(() => {
      throw broken;
    });
    vi.mocked(fdatasync).mockImplementation((_, done) => done(broken));
    const lost = { name: "DatabaseUnavailableError", message: expect.stringContaining("EIO") };
    await expect(log.sync()).rejects.toMatchObject(lost);
    const callCount = direct().length + beside().length;
    await expect(log.sync()).rejects.toMatchObject(lost);
    expect(() => log.assertSound()).toThrow("Cannot sync the log");
    expect(direct().length + beside().length).toBe(callCount);
    log.close();
  },
);

test("a database with a failed sync rejects changes and still closes", async () => {
  const port = openSqlite({ type: "Sqlite", path: join(folder, "feed.db") });
  await port.run({ sql: "create table notes (text text)" }, []);
  const fail = new Error("EIO: i/o error");
  vi.mocked(fdatasyncSync).mockImplementation(() => {
    throw fail;
  });
  vi.mocked(fdatasync).mockImplementation((_, done) => done(fail));
  const insert = { sql: "insert into notes (text) values ('a')" };
  await expect(port.run(insert, [])).rejects.toThrow("EIO");
  await expect(port.run(insert, [])).rejects.toThrow("EIO");
  expect(await port.all({ sql: "select text from notes" }, [])).toHaveLength(1);
  await port.close();
  expect(port.writer.open).toBe(false);
});
