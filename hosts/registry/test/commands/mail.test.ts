import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { queueMail } from "@sealhouse/events";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/settings/load.ts";
import { runInProcess } from "../../src/testing/run-in-process.ts";

test("mail list names the mails that are not sent because mail is off", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-mail-"));
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rm(folder, { recursive: true }));
  const env = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder };
  const { config } = loadConfig({ env, workingFolder: folder });
  {
    await using database = await openDatabase(config.database, { migrate: true });
    const administrators = ["a@acme.example"];
    const parts = { queue: database.events.mails, serverName: "Feed", administrators };
    await queueMail(parts, "damage-found", { cause: "hour 1", facts: {} });
  }
  const { printed } = await runInProcess(["mail", "list"], { folder, env });
  expect(printed).toMatch(/a@acme\.example {2}not sent: mail is off$/);
});
