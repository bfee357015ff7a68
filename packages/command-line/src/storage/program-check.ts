import type { Command as Program } from "commander";
import type { CheckOptions } from "./check.ts";
import { withApply } from "../program-apply.ts";
import type { Command } from "../command.ts";

type Ended = (code: number) => void;

/** `check`, and `oci check`, which is the same for images only. */
export function addCheck(
  program: Program,
  command: Command,
  { ended, only }: { readonly ended: Ended; readonly only?: "oci" },
): void {
  const check = program
    .command("check")
    .description("compare the storage with the database; exit code 1 when they differ, 5 when busy")
    .option("--scrub", "read all objects and compare their digests")
    .option(
      "--not-since <span>",
      "with --scrub: skip objects read within this time span",
      "1.00:00:00",
    )
    .option("--rate <MiB>", "maximum read rate in MiB per second")
    .option("--json", "print JSON");
  withApply(check, {
    list: "list differences; change nothing (default)",
    apply: "restore damaged objects from copies; delete unused ones",
    former: "--repair",
  });
  if (only === undefined)
    check.option("--protocol <list>", "only these protocols: nuget, npm, oci");
  check.action(async (options: CheckOptions) => {
    const { runCheck } = await import("./check.ts");
    ended(await runCheck(command, only === undefined ? options : { ...options, protocol: only }));
  });
}
