import type { Command as Program } from "commander";
import type { OciGcOptions } from "./oci-gc.ts";
import type { OciHoldOptions } from "./oci-hold.ts";
import type { OciRetentionOptions } from "./oci-retention.ts";
import { withApply } from "../program-apply.ts";
import { addCheck } from "../storage/program-check.ts";
import { addSeal } from "./program-oci-seal.ts";
import type { Command } from "../command.ts";

type Ended = (code: number) => void;

/** The upkeep of container images. */
export function addOci(program: Program, command: Command, ended: Ended): void {
  const oci = program.command("oci").description("administer container images");
  const retention = oci
    .command("retention")
    .description("list the tags that Feed__Oci__TagRules do not keep; with --apply, delete them")
    .option("--json", "print JSON")
    .action(async (options: OciRetentionOptions) => {
      ended(await (await import("./oci-retention.ts")).runOciRetention(command, options));
    });
  withApply(retention, {
    list: "list tags; overrides Feed__Operations__OciRetention__DryRun",
    apply: "delete tags; overrides Feed__Operations__OciRetention__DryRun",
    former: "--run",
  });
  addCheck(oci, command, { ended, only: "oci" });
  addSeal(oci, command, ended);
  addGc(oci, command, ended);
  addHolds(oci, command, ended);
  oci
    .command("forget <name>")
    .description("free the name of a repository that has no manifests")
    .action(async (name: string) => {
      ended(await (await import("./oci-forget.ts")).forgetRepository(command, name));
    });
}

function addGc(oci: Program, command: Command, ended: Ended): void {
  const gc = oci
    .command("gc")
    .description("delete manifests and blobs that no tag references")
    .option("--surface <name>", "only this segment, or `default` for all other repositories")
    .option("--report <id>", "with --apply: only the entries of this report of a dry run")
    .option("--list", "list the reports of the last runs; with --report, its entries")
    .option("--json", "print JSON")
    .action(async (options: OciGcOptions) => {
      ended(await (await import("./oci-gc.ts")).runOciGc(command, options));
    });
  withApply(gc, {
    list: "list what would be deleted; delete nothing",
    apply: "delete; overrides Feed__Operations__OciGarbageCollection__DryRun",
    former: "--run",
  });
}

function addHolds(oci: Program, command: Command, ended: Ended): void {
  const load = () => import("./oci-hold.ts");
  const hold = oci.command("hold").description("protect digests from deletion");
  hold
    .command("add <digest>")
    .description("protect a digest from deletion and garbage collection")
    .option("--until <when>", "end of the hold: a span (90d, 12h, 1y), a date, or never", "never")
    .action(async (digest: string, options: OciHoldOptions) => {
      ended(await (await load()).addHold(command, digest, options));
    });
  hold
    .command("remove <digest>")
    .description("remove the protection of a digest")
    .action(async (digest: string) => ended(await (await load()).removeHold(command, digest)));
  hold
    .command("list")
    .description("list protected digests")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }) => {
      ended(await (await load()).listHolds(command, options));
    });
}
