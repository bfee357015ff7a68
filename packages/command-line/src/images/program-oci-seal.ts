import type { Command as Program } from "commander";
import type { OciSealOptions } from "./oci-seal.ts";
import { withApply } from "../program-apply.ts";
import type { Command } from "../command.ts";

/** The signatures of container images. */
export function addSeal(oci: Program, command: Command, ended: (code: number) => void): void {
  const sign = oci
    .command("sign [images...]")
    .alias("seal")
    .description(
      "sign images without a signature of the current key: team/app:1.0, team/app@sha256:…, or " +
        "team/app for all its tags",
    )
    .option("--all", "sign all tags of all repositories")
    .option("--print-key", "print the public key for cosign verify --key, and exit")
    .option(
      "--print-certificate",
      "print the root certificate for notation's trust store, and exit",
    )
    .option("--json", "print JSON")
    .action(async (images: readonly string[], options: OciSealOptions) => {
      ended(await (await import("./oci-seal.ts")).sealCommand(command, images, options));
    });
  withApply(sign, {
    list: "list the images; sign nothing",
    apply: "sign the images (default)",
  });
}
