import type { CertificateRecord } from "@sealhouse/repo-signing";
import { createLog } from "../log.ts";
import { openHoldings } from "../wiring/holdings.ts";
import type { Holdings } from "../wiring/holdings.ts";
import { findCertificate } from "@sealhouse/repo-signing/feed";
import type { SigningTools } from "@sealhouse/repo-signing/feed";
import { CommandError } from "./command.ts";
import type { Command } from "./command.ts";

/** What the host holds, for commands that work beside it. */
export async function openFeed(command: Command): Promise<Holdings> {
  const { config } = command.load();
  const log = createLog(config.host.log, (line) => command.tell(line.trimEnd()));
  return openHoldings(config, { log, extensions: command.extensions, now: clockOf(command) });
}

export function clockOf({ now = () => new Date() }: Pick<Command, "now">): () => Date {
  return now;
}

/**
 * What signs by the settings, its key and certificate checked where an operator brings them.
 * @throws {CommandError} while signing is off
 */
export async function openSigningTools({ signing }: Holdings): Promise<SigningTools> {
  await signing.open();
  const tools = await signing.tools();
  if (tools) return tools;
  throw new CommandError("Signing is off: set Signing__Mode, as the host that serves has it.");
}

/** The record that a fingerprint, or its first digits, names; with or without colons. */
export function namedCertificate(
  records: readonly CertificateRecord[],
  text: string,
): CertificateRecord {
  const found = findCertificate(records, text);
  if (found === "unknown") {
    throw new CommandError(`No certificate ${text} has signed here: sealhouse signing list`);
  }
  if (found === "ambiguous") {
    throw new CommandError(`Several certificates begin with ${text}; write more of it.`);
  }
  return found;
}
