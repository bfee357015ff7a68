import type { Command as Program } from "commander";
import type { AuditFilters, AuditListOptions } from "./audit.ts";
import type { Command } from "../command.ts";

/** Who did what, and when. */
export function addAudit(program: Program, command: Command, ended: (code: number) => void): void {
  const audit = program.command("audit").description("read the audit log");
  withFilters(audit.command("list"))
    .description("print the newest records")
    .option("--limit <count>", "records at most, 1 to 1000", "100")
    .option("--json", "print JSON")
    .action(async (options: AuditListOptions) => {
      ended(await (await import("./audit.ts")).listAudit(command, options));
    });
  withFilters(audit.command("export"))
    .description("print all records as JSON lines, the oldest first")
    .action(async (options: AuditFilters) => {
      ended(await (await import("./audit.ts")).exportAudit(command, options));
    });
}

function withFilters(program: Program): Program {
  return program
    .option("--since <when>", "from then on: a span back (12h, 30d, 4w) or a date")
    .option("--until <when>", "before then: a span back or a date")
    .option("--type <types>", "event types, comma-separated; token.* for all of tokens")
    .option("--actor <name>", "user name, token name or system")
    .option("--token <id>", "id of the API token")
    .option("--subject <text>", "subject, such as nuget/Acme.Widgets@1.0.0 or nuget/Acme.*");
}
