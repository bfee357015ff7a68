import type { NamedStore, RegistryParts } from "@sealhouse/command-line";
import { openFetchForSources } from "../wiring/content/fetch-for-sources.ts";
import type { HostCommand } from "./host-command.ts";

/**
 * The parts of this host for commands, each opened with the settings of the command line. Each
 * loads its modules when it is opened: a command pays only for what it uses.
 */
export function registryParts(command: HostCommand): RegistryParts {
  const { extensions, load } = command;
  return {
    async openResources(now) {
      const { openCommandResources } = await import("./command-resources.ts");
      return openCommandResources(command, now);
    },
    async openMirror(now) {
      const { openCommandMirror } = await import("./open-mirror.ts");
      return openCommandMirror(command, now);
    },
    async openStorage(config) {
      const { openStorage } = await import("../wiring/resources/storage.ts");
      return openStorage(config, extensions);
    },
    findStore: (name) => findStore(command, name),
    async openExtensionKey(mode) {
      const { openExtensionKey } = await import("@sealhouse/repo-signing/feed");
      const { logOf } = await import("./command-resources.ts");
      const log = logOf(command, load({ keyOnly: true }));
      return openExtensionKey({ extensions, log, now: () => new Date() }, mode);
    },
    async openBundleVerification(trustedRoot) {
      const { openBundleVerification } = await import("@sealhouse/npm-protocol");
      return openBundleVerification(trustedRoot);
    },
    openFetchForSources,
  };
}

async function findStore(command: HostCommand, name: string | undefined): Promise<NamedStore> {
  const { parseStore } = await import("../settings/named-store.ts");
  const { openStorage } = await import("../wiring/resources/storage.ts");
  const { env, workingFolder, extensions } = command;
  const { storage, dataPath } = command.load().config;
  const store =
    name === undefined
      ? { config: storage, extensions, warnings: [] }
      : await parseStore(name, { env, workingFolder, dataPath, extensions });
  return { ...store, open: () => openStorage(store.config, store.extensions) };
}
