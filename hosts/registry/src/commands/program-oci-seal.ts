import type { Command as Program } from "commander";
import type { OciSealOptions } from "./oci-seal.ts";
import type { Command } from "./command.ts";

/** The signatures of container images. */
export function addSeal(oci: Program, command: Command, ended: (code: number) => void): void {
  oci
    .command("seal [images...]")
    .description(
      "sign what has no signature of today's key yet: team/app:1.0, team/app@sha256:…, or " +
        "team/app for all its tags",
    )
    .option("--all", "every tag of every repository")
    .option("--print-key", "only print the public key, for cosign verify --key")
    .option("--print-certificate", "only print the root certificate, for notation's trust store")
    .option("--json", "for programs")
    .action(async (images: readonly string[], options: OciSealOptions) => {
      ended(await (await import("./oci-seal.ts")).sealCommand(command, images, options));
    });
}
