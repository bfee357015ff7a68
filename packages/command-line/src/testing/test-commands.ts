import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { copyMigratedSqlite } from "@sealhouse/database/testing";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { TEST_PEPPER } from "@sealhouse/identity/testing";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";
import type { Config } from "../config.ts";
import type { RegistryParts, RegistryResources } from "../ports.ts";
import { runProgram } from "../program.ts";

/** Output and exit code of a command. */
export type Ran = {
  readonly code: number;
  /** Standard output, without the last line end. */
  readonly printed: string;
  /** Standard error, likewise. */
  readonly stderr: string;
};

/** The settings that the commands of a test read. */
export type TestSettings = { readonly [Name in keyof Config]?: Partial<Config[Name]> | undefined };

/** Commands with a database in a temporary folder, and without a host. */
export type TestCommands = AsyncDisposable & {
  readonly folder: string;
  run(...words: readonly string[]): Promise<Ran>;
  /** Runs a command with further settings. */
  runWith(settings: TestSettings, ...words: readonly string[]): Promise<Ran>;
  /** Opens the database; the caller disposes of it. */
  open(options?: { readonly now?: () => Date }): Promise<Database>;
};

/**
 * Opens the commands with these settings. A command that reads another setting, or needs a part of
 * a host, fails with its name.
 */
export async function openTestCommands(settings: TestSettings = {}): Promise<TestCommands> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-commands-"));
  opened.defer(() => rm(folder, { recursive: true, maxRetries: 3 }));
  const path = join(folder, "sealhouse.db");
  await copyMigratedSqlite(path);
  const database = { type: "Sqlite", path } as const;
  const kept = { keepContentMs: 0, ociTags: { rules: [] } };
  const given = { database, migrateAtStart: true, dataPath: folder, ...kept, ...settings };
  const owned = opened.move();
  return {
    folder,
    run: (...words) => runWords(words, folder, given),
    runWith: (more, ...words) => runWords(words, folder, { ...given, ...more }),
    open: (options = {}) => openDatabase(database, options),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function runWords(
  words: readonly string[],
  workingFolder: string,
  settings: TestSettings,
): Promise<Ran> {
  const printed: string[] = [];
  const errorLines: string[] = [];
  const config = named<Config>("setting", settings as Partial<Config>);
  const command: Command = {
    env: {},
    workingFolder,
    stop: new AbortController().signal,
    stdout: (text) => printed.push(text),
    stderr: (text) => errorLines.push(text),
    load: () => ({ config }),
    shownSettings: async () => ({ items: [], warnings: [] }),
    registry: named<RegistryParts>("part of a registry", {
      async openResources(now) {
        const database = await openDatabase(config.database, { now });
        const close = () => database[Symbol.asyncDispose]();
        return named<RegistryResources>("resource", { database, [Symbol.asyncDispose]: close });
      },
    }),
    hosts: {
      list: () => [],
      placeOf: ({ type }) => type,
      fingerprintOf: () => "",
      settingsOption: () => undefined,
    },
  };
  const host = named<Parameters<typeof runProgram>[2]>("command of a host", { version: "0.0.0" });
  const code = await runProgram(words, command, host).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    errorLines.push(error.message);
    return FAILED;
  });
  return { code, printed: printed.join("\n"), stderr: errorLines.join("\n") };
}

const FAILED = 1;

/** Settings of hosts for commands that make tokens. */
export const TEST_HOST = { pepper: { type: "given", value: TEST_PEPPER } } as const;

/** An object whose absent fields are errors. */
function named<T extends object>(what: string, fields: Partial<T>): T {
  return new Proxy(fields, {
    get(target, name) {
      // A promise asks its result for `then`.
      const isAsked = name in target || typeof name === "symbol" || name === "then";
      if (isAsked) return Reflect.get(target, name) as unknown;
      throw new Error(`The test gives its command no ${what} ${name}.`);
    },
  }) as T;
}
