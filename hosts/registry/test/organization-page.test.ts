import { expect, test } from "vitest";
import { openFolder } from "./clients/client.ts";
import { readManual, textsOf } from "./manual-page.ts";
import { openShell } from "./page-shell.ts";

test("the commands of the page about organizations set up teams, names and pipelines", async () => {
  const blocks = textsOf(await readManual("../../../docs/organization.md"), "sh");
  await using folder = await openFolder();
  const shell = await openShell(folder.path, {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: `${folder.path}/data`,
    Feed__PublicBaseUrl: "https://packages.example",
  });
  // People become users by their first sign-in.
  await shell("sealhouse user add ada\nsealhouse user add lin");
  const outputs: string[] = [];
  for (const block of blocks) outputs.push(await shell(block));
  const lists = outputs.at(-1) ?? "";
  for (const word of ["ada", "lin", "web", "platform", "@acme/*", "Acme.*", "acme/**"]) {
    expect(lists).toContain(word);
  }
  expect(lists).toContain("pipeline.changed");
}, 120_000);
