import { queueMail } from "@sealhouse/events";
import { expect, test } from "vitest";
import { openTestCommands } from "../testing/test-commands.ts";

test("mail list names the mails that are not sent because mail is off", async () => {
  await using commands = await openTestCommands({ mail: undefined });
  {
    await using database = await commands.open();
    const administrators = ["a@acme.example"];
    const parts = { queue: database.events.mails, serverName: "Feed", administrators };
    await queueMail(parts, "damage-found", { cause: "hour 1", facts: {} });
  }
  const { printed } = await commands.run("mail", "list");
  expect(printed).toMatch(/a@acme\.example {2}not sent: mail is off$/);
});
