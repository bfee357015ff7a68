import type { Command } from "./command.ts";
import type { RegistryResources } from "./ports.ts";

/** The parts of the host for commands that work while it runs. */
export async function openFeed(command: Command): Promise<RegistryResources> {
  return command.registry.openResources(clockOf(command));
}

/** The clock of a command. */
export function clockOf({ now = () => new Date() }: Pick<Command, "now">): () => Date {
  return now;
}
