import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";
import type { LendOptions } from "./loans.ts";
import type { PromoteOptions } from "./promote.ts";

const LEND = "TARGET=VARIABLE: a short-lived key of the pipeline, for this release alone";

type Ended = (code: number) => void;

/** Publishing to other registries. */
export function addPromotion(program: Program, command: Command, ended: Ended): void {
  addPromote(program, command, ended);
  addReleases(program, command, ended);
}

function addPromote(program: Program, command: Command, ended: Ended): void {
  program
    .command("promote <group>")
    .description("release a group to its targets, all or nothing")
    .option("--target <names...>", "only these targets")
    .option("--dry-run", "choose members and ask the targets, publish nothing")
    .option("--lend <loans...>", LEND)
    .option("--key <text>", "a repeated call with this key continues the release of the first")
    .option("--verify", "images: look for every layer at the targets, not only for new ones")
    .option("--no-wait", "do not wait for a target that shows packages later")
    .option("--json", "print JSON")
    .action(async (group: string, options: PromoteOptions) => {
      ended(await (await import("./promote.ts")).promoteGroup(command, group, options));
    });
}

function addReleases(program: Program, command: Command, ended: Ended): void {
  const release = program.command("release").description("inspect and continue releases");
  const load = () => import("./release.ts");
  release
    .command("list")
    .description("list releases, newest first")
    .option("--group <name>", "only of this group")
    .option("--limit <number>", "maximum number of releases", "50")
    .option("--json", "print JSON")
    .action(async (options: Json & { group?: string; limit: string }) =>
      ended(await (await load()).listReleases(command, options)),
    );
  release
    .command("show <id>")
    .description("print a release with the state of each member at each target")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json) =>
      ended(await (await load()).showRelease(command, id, options)),
    );
  release
    .command("diff <from> <to>")
    .description("print the members in which two releases differ")
    .option("--json", "print JSON")
    .action(async (from: string, to: string, options: Json) =>
      ended(await (await load()).diffReleases(command, [from, to], options)),
    );
  release
    .command("resume <id>")
    .description("continue a failed release")
    .option("--lend <loans...>", LEND)
    .option("--json", "print JSON")
    .action(async (id: string, options: Json & LendOptions) =>
      ended(await (await load()).resumeRelease(command, id, options)),
    );
  release
    .command("repeat <id>")
    .description("release the same versions again, to the same targets or to others")
    .option("--target <names...>", "only these targets")
    .option("--lend <loans...>", LEND)
    .option("--json", "print JSON")
    .action(async (id: string, options: Json & LendOptions & { target?: readonly string[] }) =>
      ended(await (await load()).repeatRelease(command, id, options)),
    );
  release
    .command("rollback <id>")
    .description("take back a release that runs and can still be undone")
    .option("--reason <text>", "why, for the audit log", "An operator took it back.")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json & { reason: string }) =>
      ended(await (await load()).rollbackRelease(command, id, options)),
    );
  release
    .command("export <id>")
    .description("write the signed statement, for cosign and openssl")
    .requiredOption("--out <folder>", "folder of the files")
    .action(async (id: string, options: { out: string }) =>
      ended(await (await load()).exportRelease(command, id, options)),
    );
  release
    .command("verify <id>")
    .description("check the signed statement with a key that you trust")
    .requiredOption("--key <file>", "PEM file with the public key")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json & { key: string }) =>
      ended(await (await load()).verifyRelease(command, id, options)),
    );
}
