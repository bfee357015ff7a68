import type { Caller } from "@sealhouse/request-types";
import { textList } from "../statements/text-list.ts";

/** Beginning of the name of the command line in rows. */
const COMMAND_LINE = "command line (";
const NO_PUBLISHERS: ReadonlySet<string> = new Set(["import", "system"]);

/**
 * Whether a caller is listed as publisher of a name without owners. The command line, an import and
 * the registry itself are not: they publish for others.
 */
export function isListedPublisher({ actor }: Pick<Caller, "actor">): boolean {
  return !NO_PUBLISHERS.has(actor) && isListed(actor);
}

/** Whether a recorded publisher is shown. Earlier versions recorded the user of the operating
 * system. */
export function isListed(publisher: string): boolean {
  return !publisher.startsWith(COMMAND_LINE);
}

/** Returns the owners of a NuGet package as documents show them. */
export function listedOwners(json: string | null): readonly string[] {
  return json === null ? [] : textList(json).filter(isListed);
}
