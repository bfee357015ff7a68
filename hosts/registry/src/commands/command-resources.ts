import type { RegistryResources } from "@sealhouse/command-line";
import { createLog } from "../log.ts";
import type { Log } from "../log.ts";
import type { LoadedConfig } from "../settings/load.ts";
import { createSealing } from "../wiring/image-sealing.ts";
import { rotateKeyRing } from "../wiring/key-ring-job.ts";
import { createPromotion } from "../wiring/promotion.ts";
import { openResources } from "../wiring/registry-resources.ts";
import type { RegistryResources as HostResources } from "../wiring/registry-resources.ts";
import type { HostCommand } from "./host-command.ts";

/** Log lines go to standard error: standard output is for other programs. */
export function logOf({ stderr }: Pick<HostCommand, "stderr">, { config }: LoadedConfig): Log {
  return createLog(config.host.log, (line) => stderr(line.trimEnd()));
}

/** The parts of the host, and what commands do with them. */
type CommandResources = HostResources & RegistryResources;

/** Opens storage, database and keys for a command. */
export async function openCommandResources(
  command: HostCommand,
  now: () => Date,
): Promise<CommandResources> {
  const { extensions } = command;
  const loaded = command.load();
  const { config } = loaded;
  const log = logOf(command, loaded);
  const resources = await openResources(config, { log, extensions, now });
  return {
    ...resources,
    openSealing: (ociSeal) => createSealing({ config, resources, now: () => new Date() }, ociSeal),
    openPromotion: () => createPromotion({ config, resources, now }),
    rotateKeyRing: (caller) => rotateKeyRing({ ...resources, log }, { when: "now", caller }),
  };
}
