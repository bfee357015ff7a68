import { Option } from "commander";
import type { Command as Program } from "commander";
import type { OciGcOptions } from "./oci-gc.ts";
import type { OciHoldOptions } from "./oci-hold.ts";
import type { OciRetentionOptions } from "./oci-retention.ts";
import { addCheck } from "./program-check.ts";
import { addSeal } from "./program-oci-seal.ts";
import type { Command } from "./command.ts";

type Ended = (code: number) => void;

/** The upkeep of container images. */
export function addOci(program: Program, command: Command, ended: Ended): void {
  const oci = program.command("oci").description("look after the container images kept here");
  oci
    .command("retention")
    .description("list the tags that Feed__Oci__TagRules do not keep; with --apply, delete them")
    .option("--dry-run", "whatever Feed__Operations__OciRetention__DryRun says")
    .option("--apply", "delete them, whatever Feed__Operations__OciRetention__DryRun says")
    .addOption(formerApply())
    .option("--json", "for programs")
    .action(async (options: OciRetentionOptions) => {
      ended(await (await import("./oci-retention.ts")).runOciRetention(command, applied(options)));
    });
  addCheck(oci, command, { ended, only: "oci" });
  addSeal(oci, command, ended);
  addGc(oci, command, ended);
  addHolds(oci, command, ended);
}

function addGc(oci: Program, command: Command, ended: Ended): void {
  oci
    .command("gc")
    .description("remove what no tag leads to; each is asked about once more before it goes")
    .option("--dry-run", "say what would go, and remove nothing")
    .option("--apply", "delete it, whatever Feed__Operations__OciGarbageCollection__DryRun says")
    .addOption(formerApply())
    .option("--surface <name>", "only this segment, or `default` for all that is in none")
    .option("--report <id>", "with --apply: only what that report of a dry run names")
    .option("--list", "the reports of the last runs; with --report, what is in one")
    .option("--json", "for programs")
    .action(async (options: OciGcOptions) => {
      ended(await (await import("./oci-gc.ts")).runOciGc(command, applied(options)));
    });
}

function addHolds(oci: Program, command: Command, ended: Ended): void {
  const load = () => import("./oci-hold.ts");
  const hold = oci.command("hold").description("keep a digest, whatever points to it");
  hold
    .command("add <digest>")
    .description("nobody deletes it, and it is not collected")
    .option("--until <when>", "a span (90d, 12h, 1y), a date, or never", "never")
    .action(async (digest: string, options: OciHoldOptions) => {
      ended(await (await load()).addHold(command, digest, options));
    });
  hold
    .command("remove <digest>")
    .description("let it go the way of all others")
    .action(async (digest: string) => ended(await (await load()).removeHold(command, digest)));
  hold
    .command("list")
    .description("what is held, by whom and how long")
    .option("--json", "for programs")
    .action(async (options: { json?: true }) => {
      ended(await (await load()).listHolds(command, options));
    });
}

/** The former name of `--apply`. */
function formerApply(): Option {
  return new Option("--run", "the same as --apply").hideHelp();
}

function applied<Options extends { readonly apply?: true; readonly run?: true }>(
  options: Options,
): Options {
  return options.run ? { ...options, apply: true } : options;
}
