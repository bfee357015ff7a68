import type { Database } from "@sealhouse/database";
import type { Command } from "./command.ts";
import type { RegistryResources } from "./ports.ts";

/** The parts of the host for commands that work while it runs. */
export async function openFeed(command: Command): Promise<RegistryResources> {
  return command.registry.openResources(clockOf(command));
}

/** The database for commands that need rows alone. A running host may use it, too. */
export async function openRows({ load }: Pick<Command, "load">): Promise<Database> {
  const { config } = load();
  const { openDatabase } = await import("@sealhouse/database");
  return openDatabase(config.database, { migrate: config.migrateAtStart });
}

/** The clock of a command. */
export function clockOf({ now = () => new Date() }: Pick<Command, "now">): () => Date {
  return now;
}
