import type { Command as Program } from "commander";
import type { OciRetentionOptions } from "./oci-retention.ts";
import type { Command } from "./run.ts";

type Ended = (code: number) => void;

/** The upkeep of container images. */
export function addOci(program: Program, command: Command, ended: Ended): void {
  const oci = program.command("oci").description("look after the container images kept here");
  oci
    .command("retention")
    .description("say which tags the rules of Feed__Oci__TagRules let go; with --run, delete them")
    .option("--dry-run", "whatever Feed__Operations__OciRetention__DryRun says")
    .option("--run", "delete them, whatever Feed__Operations__OciRetention__DryRun says")
    .option("--json", "for programs")
    .action(async (options: OciRetentionOptions) => {
      ended(await (await import("./oci-retention.ts")).runOciRetention(command, options));
    });
}
