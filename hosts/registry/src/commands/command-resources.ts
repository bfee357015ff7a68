import type { RegistryResources } from "@sealhouse/command-line";
import { createLog } from "../log.ts";
import type { Log } from "../log.ts";
import type { LoadedConfig } from "../settings/load.ts";
import { openResources } from "../wiring/resources/registry-resources.ts";
import type { RegistryResources as HostResources } from "../wiring/resources/registry-resources.ts";
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
    async openSealing(ociSeal) {
      const { createSealing } = await import("../wiring/features/image-sealing.ts");
      return createSealing({ config, resources, now: () => new Date() }, ociSeal);
    },
    async openPromotion() {
      const { createPromotion } = await import("../wiring/features/promotion.ts");
      return createPromotion({ config, resources, now });
    },
    async rotateKeyRing(caller) {
      const { rotateKeyRing } = await import("@sealhouse/feed");
      return rotateKeyRing({ ...resources, log }, { when: "now", caller });
    },
  };
}
