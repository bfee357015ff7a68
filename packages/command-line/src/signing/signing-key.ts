import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { RemoteKey } from "@sealhouse/repo-signing";
import type { Config } from "../config.ts";
import { createSharedFiles } from "@sealhouse/storage-providers";
import { openStoredKey } from "@sealhouse/repo-signing/feed";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";

export type OpenedKey = {
  readonly key: RemoteKey & AsyncDisposable;
  readonly config: Config;
};

/**
 * Opens the key of the signing mode without its certificate, which need not exist yet.
 *
 * @throws {CommandError} when the mode has no key that a certificate could be asked for with
 */
export async function openSigningKey(command: Command): Promise<OpenedKey> {
  const { config } = command.load({ keyOnly: true });
  const key = await keyOf(command, config);
  return { config, key: { [Symbol.asyncDispose]: async () => undefined, ...key } };
}

async function keyOf({ registry }: Command, config: Config): Promise<RemoteKey> {
  const { signing } = config;
  const now = () => new Date();
  switch (signing.mode) {
    case "off":
      throw new CommandError("Signing is off: set Signing__Mode, as the host that serves has it.");
    case "SelfSigned":
      throw new CommandError(
        "In mode SelfSigned the host creates its certificate: sealhouse signing rotate",
      );
    case "StoredCertificate": {
      await using store = await registry.openStorage(config.storage);
      return await openStoredKey({ files: createSharedFiles(store), now }, signing);
    }
    case "Extension": {
      const key = await registry.openExtensionKey(signing);
      if (key) return key;
      throw new CommandError(
        `In mode ${signing.name} create certificate requests with the key service; see the ` +
          "documentation of the mode.",
      );
    }
  }
}

/** The name of the certificate: the requested one, or the name of the server. */
export function subjectOf(subject: string | undefined, { host }: Config): string {
  return subject ?? `CN="${host.serverName.replaceAll('"', '""')}"`;
}

/** To a new file, or to standard output. */
export async function handOut(
  { stdout, stderr, workingFolder }: Command,
  pem: string,
  out: string | undefined,
): Promise<void> {
  if (out === undefined) {
    stdout(pem.trimEnd());
    return;
  }
  const path = resolve(workingFolder, out);
  try {
    await writeFile(path, pem, { flag: "wx" });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    const why = code === "EEXIST" ? "it exists; name another file" : code;
    throw new CommandError(`${path} cannot be written: ${why}`, { cause });
  }
  stderr(`Written to ${path}`);
}

/** Errors of keys and names, as what a person can act on. */
export async function withUserErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  const { ModeSettingError, SigningError } = await import("@sealhouse/repo-signing");
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ModeSettingError) {
      throw new CommandError(`${cause.key}: ${cause.message}`, { cause });
    }
    if (cause instanceof SigningError && cause.details !== undefined) {
      throw new CommandError(`${cause.message} ${cause.details}`, { cause });
    }
    if (cause instanceof SigningError || cause instanceof RangeError) {
      throw new CommandError(cause.message, { cause });
    }
    throw cause;
  }
}
