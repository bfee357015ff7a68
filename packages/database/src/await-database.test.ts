import { DatabaseUnavailableError } from "./errors.ts";
import { expect, test } from "vitest";
import { awaitDatabase } from "./await-database.ts";

const log = { warn: () => undefined };
const open = () => Promise.reject(new DatabaseUnavailableError("The database does not answer."));

test("a start that is stopped while it waits does not say that it waited to the end", async () => {
  const stop = AbortSignal.abort();
  await expect(awaitDatabase(open, { timeoutMs: 60_000, log, stop })).rejects.toMatchObject({
    code: "database-unreachable",
    message: "The database does not answer. The host was stopped while it waited for it.",
  });
});

test("a start that has waited to the end names the setting", async () => {
  await expect(awaitDatabase(open, { timeoutMs: 1, log })).rejects.toThrow(
    /waited 0\.001 seconds for it \(Database__StartTimeout\)/,
  );
});
