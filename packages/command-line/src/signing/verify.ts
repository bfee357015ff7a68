import { errorCodeOf } from "@sealhouse/http-responses";
import { openDatabase } from "@sealhouse/database";
import { isPackageId, lowerId, lowerVersion } from "@sealhouse/nuget-protocol";
import {
  clientTrust,
  readTrustFiles,
  storedVersionNames,
  trustForFiles,
  trustForStored,
  verifyPackageFile,
  verifyStoredVersion,
} from "@sealhouse/repo-signing";
import type { NamedRoots } from "@sealhouse/repo-signing";
import { createBlobStore } from "@sealhouse/storage-providers";
import type { Command } from "../command.ts";
import { CommandError } from "../command.ts";
import { createOutput, trustText } from "./verify-output.ts";

export type VerifyCommandOptions = {
  readonly all?: true;
  readonly trust: readonly string[];
  readonly timestampTrust: readonly string[];
  readonly json?: true;
};

const USAGE = 2;

/** Exit code 0: every package is valid; 1: one is not; 2: the arguments make no sense. */
export async function verifyPackages(
  command: Command,
  words: readonly string[],
  options: VerifyCommandOptions,
): Promise<number> {
  const isStored = options.all === true || isIdAndVersion(words);
  if ((words.length === 0) !== (options.all === true)) {
    command.stderr("Name package files, or an id and a version, or say --all.");
    return USAGE;
  }
  try {
    const roots = {
      roots: await readTrustFiles(options.trust),
      timestampRoots: await readTrustFiles(options.timestampTrust),
    };
    return await (isStored ? verifyFeed : verifyFiles)(command, { words, options, roots });
  } catch (error) {
    if (!(error instanceof Error) || errorCodeOf(error) !== "trust-file") throw error;
    command.stderr(error.message);
    return USAGE;
  }
}

type Request = {
  readonly words: readonly string[];
  readonly options: VerifyCommandOptions;
  readonly roots: NamedRoots;
};

/** Two words, the second of them a version; a file with such a name is written with `./`. */
function isIdAndVersion(words: readonly string[]): boolean {
  const [id = "", version = "", ...more] = words;
  return more.length === 0 && isPackageId(id) && lowerVersion(version) !== undefined;
}

async function verifyFiles(command: Command, { words, options, roots }: Request): Promise<number> {
  const isNamed = roots.roots !== undefined && roots.timestampRoots !== undefined;
  const client = isNamed ? undefined : await clientTrust(command.env["PATH"] ?? "");
  if (!options.json) command.stderr(trustText(roots, client));
  const output = createOutput(command, options);
  const trust = trustForFiles(roots, client, new Date());
  for (const path of words) output.add(await verifyPackageFile(path, trust));
  return output.end();
}

/** May run while a host runs: it does not migrate, sign or count. */
async function verifyFeed(command: Command, { words, options, roots }: Request): Promise<number> {
  const { config } = command.load();
  await using database = await openDatabase(config.database, { migrate: false });
  await using store = await command.registry.openStorage(config.storage);
  const parts = {
    versions: database.nuget,
    blobs: createBlobStore(store, { prefix: "nuget" }),
    options: trustForStored(roots, await database.certificates.list(), new Date()),
    warnsOfUnsigned: config.signing.mode !== "off",
  };
  const output = createOutput(command, options);
  const versions = options.all ? storedVersionNames(database.nuget) : [versionName(words)];
  for await (const version of versions) {
    if (command.stop.aborted) throw new CommandError("Stopped before every version was verified.");
    const report = await verifyStoredVersion(version, parts);
    if (report) output.add(report);
    else if (!options.all) throw new CommandError(`There is no ${words.join(" ")}.`);
  }
  return output.end();
}

function versionName([id = "", version = ""]: readonly string[]) {
  return { id: lowerId(id), version: lowerVersion(version) ?? version };
}
