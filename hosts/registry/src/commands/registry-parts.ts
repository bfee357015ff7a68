import type { NamedStore, RegistryParts } from "@sealhouse/command-line";
import { openExtensionKey } from "@sealhouse/repo-signing/feed";
import { parseStore } from "../settings/named-store.ts";
import { openFetchForSources } from "../wiring/mirror.ts";
import { openBundleVerification } from "../wiring/npm-provenance.ts";
import { openStorage } from "../wiring/storage.ts";
import { logOf, openCommandResources } from "./command-resources.ts";
import type { HostCommand } from "./host-command.ts";
import { openCommandMirror } from "./open-mirror.ts";

/** The parts of this host for commands, each opened with the settings of the command line. */
export function registryParts(command: HostCommand): RegistryParts {
  const { extensions, load } = command;
  return {
    openResources: (now) => openCommandResources(command, now),
    openMirror: (now) => openCommandMirror(command, now),
    openStorage: (config) => openStorage(config, extensions),
    findStore: (name) => findStore(command, name),
    openExtensionKey: (mode) => {
      const log = logOf(command, load({ keyOnly: true }));
      return openExtensionKey({ extensions, log, now: () => new Date() }, mode);
    },
    openBundleVerification,
    openFetchForSources,
  };
}

async function findStore(command: HostCommand, name: string | undefined): Promise<NamedStore> {
  const { env, workingFolder, extensions } = command;
  const { storage, dataPath } = command.load().config;
  const store =
    name === undefined
      ? { config: storage, extensions, warnings: [] }
      : await parseStore(name, { env, workingFolder, dataPath, extensions });
  return { ...store, open: () => openStorage(store.config, store.extensions) };
}
