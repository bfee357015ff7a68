import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";
import type { PipelineOptions } from "./pipeline-options.ts";

/** Build jobs that publish with ID tokens. */
export function addPipelines(
  program: Program,
  command: Command,
  ended: (code: number) => void,
): void {
  const pipeline = program
    .command("pipeline")
    .description("manage the build jobs that publish with ID tokens instead of a secret");
  const load = () => import("./pipeline.ts");
  pipeline
    .command("add <names...>")
    .description("let build jobs publish names: Acme.* @acme/widgets team/app/**")
    .requiredOption(
      "--provider <provider>",
      "github, gitlab, azure-devops, circleci, kubernetes or oidc (any issuer with discovery)",
    )
    .requiredOption("--protocols <protocols>", "nuget, npm, oci")
    .option("--issuer <url>", "claim iss (default: the configured one of the provider)")
    .option("--repo <path>", "GitHub repository or GitLab project: acme/widgets")
    .option("--repo-id <id>", "its number (default: that of the first ID token)")
    .option("--owner-id <id>", "number of its owner or namespace (default: that of the first)")
    .option("--file <name>", "workflow or pipeline file: publish.yml")
    .option("--environment <name>", "only jobs of this environment")
    .option("--reusable <path>", "workflow of another repository: acme/ci/.github/workflows/x.yml")
    .option("--claim <claims...>", 'further claims: name=value; nested: \'["a","b"]=value\'')
    .option("--event <events...>", "accept pull_request_target or workflow_run, too")
    .option("--scopes <scopes>", "read, stage, publish, write (default: publish; images: write)")
    .option("--life <minutes>", "minutes that a token is valid, up to 60", "15")
    .option("--may-create", "publish names that do not exist yet")
    .option("--fixed-audience", "accept the audience that Azure DevOps fixes")
    .option("--for <handle>", "user or team that the jobs publish for")
    .option("--json", "print JSON")
    .action(async (names: readonly string[], options: PipelineOptions) =>
      ended(await (await load()).addPipeline(command, names, options)),
    );
  pipeline
    .command("list")
    .description("list build jobs that may publish, also those of npm trust")
    .option("--json", "print JSON")
    .action(async (options: Json) => ended(await (await load()).listPipelines(command, options)));
  pipeline
    .command("show <id>")
    .description("print one with its claims")
    .action(async (id: string) => ended(await (await load()).showPipeline(command, id)));
  pipeline
    .command("remove <id>")
    .description("remove one and revoke its tokens")
    .action(async (id: string) => ended(await (await load()).removePipeline(command, id)));
}
