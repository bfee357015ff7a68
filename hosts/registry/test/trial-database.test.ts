import { join } from "node:path";
import { copyMigratedSqlite, openSqliteFile } from "@sealhouse/database/testing";
import { expect, test } from "vitest";
import { spawnCli } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

const REFUSAL =
  /^A trial before release 0\.1\.0 made this database, which no release can update: .*\.$/m;

test("a database of a trial before the first release is refused with 78 and advice", async () => {
  await using folder = await openFolder();
  const path = join(folder.path, "trial.db");
  await copyMigratedSqlite(path);
  const file = openSqliteFile(path);
  file.exec("update sealhouse_migrations set name = 'Migration20261121000000_first'");
  file.close();
  const env = { ConnectionStrings__Sqlite: `Data Source=${path}` };
  for (const words of [["serve"], ["config", "check"], ["migrate"], ["migrate", "--dry-run"]]) {
    const refused = await spawnCli(words, { folder: folder.path, env });
    expect(refused.code, words.join(" ")).toBe(78);
    expect(refused.stderr, words.join(" ")).toMatch(REFUSAL);
  }
});
