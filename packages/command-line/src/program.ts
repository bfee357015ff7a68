import { Command as Program, CommanderError } from "commander";
import { addAdministration } from "./actions/program-actions.ts";
import { currentWords } from "./actions/current-words.ts";
import { addBundle } from "./bundles/program-bundle.ts";
import { addLogin } from "./remote/program-login.ts";
import type { MigrateOptions } from "./database/migrate.ts";
import { addDatabase } from "./database/program-database.ts";
import { addImport } from "./imports/program-import.ts";
import { addMirror } from "./bundles/program-mirror.ts";
import { addSigning } from "./signing/program-signing.ts";
import { addStorage } from "./storage/program-storage.ts";
import { addVerify } from "./signing/program-verify.ts";
import type { Command } from "./command.ts";

const USAGE = 2;

const SETTINGS_HELP = `
Commands that can list their changes have --dry-run and --apply. Those that delete or repair list
by default, the others apply by default. Commands without these options act at once.

Settings of the host are read as \`serve\` reads them, and may follow any command:
  --Section:Key=value    for instance --Host:DataPath=/srv/feed
  --settings-of=PID      use the settings of the registry that runs as this process (Linux)
`;

/** The commands that a host implements itself: they start it, or look into how it is set up. */
export type HostCommands = {
  readonly version: string;
  /** Runs the host until it is asked to stop. */
  serve(): Promise<number>;
  checkConfig(): Promise<number>;
  /** Makes the configured storage that of the database. */
  adoptStorage(): Promise<number>;
};

/** Runs one command line and resolves to the exit code. */
export async function runProgram(
  typed: readonly string[],
  command: Command,
  host: HostCommands,
): Promise<number> {
  const words = currentWords(typed);
  let code = 0;
  const finish = (run: () => Promise<number>) => async () => {
    code = await run();
  };
  const program = new Program("sealhouse")
    .description("A package registry for NuGet, npm and container images")
    .version(host.version)
    .addHelpText("after", SETTINGS_HELP)
    .configureOutput({
      writeOut: (text) => command.stdout(text.trimEnd()),
      writeErr: (text) => command.stderr(text.trimEnd()),
    })
    .exitOverride();
  program
    .command("serve")
    .description("start the registry (default)")
    .action(finish(() => host.serve()));
  program
    .command("migrate")
    .description("apply database migrations and exit")
    .option("--dry-run", "print the pending migrations, change nothing")
    .action(async (options: MigrateOptions) => {
      code = await (await import("./database/migrate.ts")).migrate(command, options);
    });
  addDatabase(program, command, (result) => (code = result));
  addCompletion(program, command, (result) => (code = result));
  addLogin(program, command, (result) => (code = result));
  addConfig(program, host, (result) => (code = result));
  addStorage(program, { command, host }, (result) => (code = result));
  addImport(program, command, (result) => (code = result));
  addBundle(program, command, (result) => (code = result));
  addMirror(program, command, (result) => (code = result));
  addVerify(program, command, (result) => (code = result));
  addSigning(program, command, (result) => (code = result));
  await addLocalActions(program, { words, command, ended: (result) => (code = result) });
  try {
    await program.parseAsync([...words], { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE;
  }
}

type Ended = (code: number) => void;

/** Adds the commands that are actions of administrators, for this registry. */
function addLocalActions(
  program: Program,
  typed: {
    readonly words: readonly string[];
    readonly command: Command;
    readonly ended: Ended;
  },
): Promise<void> {
  const { words, command: context, ended } = typed;
  const open = async () => (await import("./actions/local-actions.ts")).localActions(context);
  return addAdministration(program, { words, context, open, ended });
}

function addCompletion(program: Program, command: Command, ended: Ended): void {
  program
    .command("completion <shell>")
    .description("print the script that completes commands in bash, zsh or fish")
    .action(async (shell: string) => {
      const { completionScript } = await import("./completion/completion.ts");
      command.stdout(completionScript(shell, program));
      ended(0);
    });
}

function addConfig(program: Program, host: HostCommands, ended: Ended): void {
  program
    .command("config")
    .command("check")
    .description("check settings, folders, database and storage")
    .action(async () => ended(await host.checkConfig()));
}
