import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";
import type { RuleOptions } from "./policy.ts";

type Ended = (code: number) => void;

/** Rules about versions of packages. */
export function addPolicy(program: Program, command: Command, ended: Ended): void {
  const policy = program
    .command("policy")
    .description("manage the rules about versions that this registry refuses");
  const load = () => import("./policy.ts");
  for (const effect of ["deny", "allow"] as const) {
    ruleOptions(policy.command(effect).description(DESCRIPTIONS[effect])).action(
      async (options: RuleOptions) => ended(await (await load()).addRule(command, effect, options)),
    );
  }
  policy
    .command("list")
    .description("list all rules, oldest first")
    .option("--json", "print JSON")
    .action(async (options: Json) => ended(await (await load()).listRules(command, options)));
  policy
    .command("remove <id>")
    .description("remove a rule")
    .action(async (id: string) => ended(await (await load()).removeRule(command, id)));
}

const DESCRIPTIONS = {
  deny: "refuse versions: in documents, tags and downloads",
  allow: "add an exception to the least age of versions and to rules that deny",
};

function ruleOptions(rule: Program): Program {
  return rule
    .requiredOption("--protocol <protocol>", "npm, nuget or oci")
    .requiredOption("--name <pattern>", "a name or a pattern: left-pad, @acme/*")
    .option("--versions <range>", "such as 1.2.3 or <2.0.0; oci: a tag or a digest (default: all)")
    .option("--licenses <ids...>", "only versions with these licenses: GPL-*, AGPL-3.0-only")
    .option("--install-scripts", "npm: only versions that run scripts at installation")
    .option("--severity <severity>", "only with an advisory: low, moderate, high or critical")
    .requiredOption("--reason <text>", "for the people whose client is refused a version")
    .option("--expires <date>", "date on which the rule ends: 2027-01-31 or 2027-01-31T12:00Z")
    .option("--json", "print JSON");
}
