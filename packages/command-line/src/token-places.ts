import type { DatabaseConfig } from "@sealhouse/database";
import { CommandError } from "./command.ts";
import type { Command } from "./command.ts";
import type { RunningHost, RunningHosts } from "./ports.ts";

/**
 * A running host accepts no token that another pepper made.
 *
 * @throws CommandError
 */
export function refuseOtherPepper(
  { hosts }: Pick<Command, "hosts">,
  { database, pepper }: { readonly database: DatabaseConfig; readonly pepper: string },
): void {
  const place = hosts.placeOf(database);
  const fingerprint = hosts.fingerprintOf(pepper);
  const same = hosts.list().filter((host) => host.place === place);
  const other = same.find((host) => host.pepper !== fingerprint);
  if (!other) return;
  throw new CommandError(
    `The registry that runs as process ${other.pid} uses the same database with another ` +
      `Host__TokenHashPepper, so it would refuse the token. ${remedyFor(other, hosts)}`,
  );
}

/** A token is valid only where it was written, and settings are easily forgotten. */
export function printDatabase(
  { hosts, stderr }: Pick<Command, "hosts" | "stderr">,
  database: DatabaseConfig,
): void {
  const place = hosts.placeOf(database);
  stderr(`Database: ${place}.`);
  const running = hosts.list();
  if (running.some((host) => host.place === place)) return;
  for (const host of running) {
    stderr(
      `Warning: the registry that runs as process ${host.pid} uses another database: ` +
        `${host.place}. This token is not valid there. ${remedyFor(host, hosts)}`,
    );
  }
}

function remedyFor({ pid, workingFolder }: RunningHost, hosts: RunningHosts): string {
  const settingsOption = hosts.settingsOption(pid);
  const option = settingsOption === undefined ? "" : `, or add ${settingsOption}`;
  const variables = `the environment variables of the registry${option}`;
  return `Run the command in ${workingFolder}, with ${variables}.`;
}
