import type { Command as Program } from "commander";
import type { CheckOptions } from "./check.ts";
import type { Command } from "./command.ts";

type Ended = (code: number) => void;

/** `check`, and `oci check`, which is the same for images only. */
export function addCheck(
  program: Program,
  command: Command,
  { ended, only }: { readonly ended: Ended; readonly only?: "oci" },
): void {
  const check = program
    .command("check")
    .description("compare the storage with the database; exit code 1 when they differ")
    .option("--scrub", "read every object, and compare it with its digest")
    .option("--not-since <span>", "with --scrub: skip what was read since then", "1.00:00:00")
    .option("--rate <MiB>", "read at most this much in a second")
    .option("--repair", "use other copies of damaged objects; clear what nothing uses")
    .option("--json", "print JSON");
  if (only === undefined) check.option("--protocol <list>", "only nuget, npm or oci");
  check.action(async (options: CheckOptions) => {
    const { runCheck } = await import("./check.ts");
    ended(await runCheck(command, only === undefined ? options : { ...options, protocol: only }));
  });
}
