import type { Protocol } from "@sealhouse/request-types";
import { TokenSettingError } from "../errors.ts";
import type { NewReservation } from "./ports.ts";

/** Characters after which a prefix may end, so that `Acme.` does not cover `AcmeX`. */
const SEPARATORS: Readonly<Record<Protocol, string>> = { nuget: ".-_", npm: "/.-_", oci: "/" };

/** Returns the form of a name that ownership compares. */
export function nameKeyOf(protocol: Protocol, name: string): string {
  return protocol === "nuget" ? name.toLowerCase() : name;
}

/**
 * Parses a reservation: a name, or a prefix such as `Acme.*`, `@acme/*` or `team/app/**`.
 *
 * @throws TokenSettingError
 */
export function parseReservedPattern(
  protocol: Protocol,
  text: string,
): Pick<NewReservation, "protocol" | "pattern" | "isPrefix"> {
  const star = /^([^*]+?)\*{1,2}$/.exec(text);
  const pattern = nameKeyOf(protocol, star?.[1] ?? text);
  if (pattern === "" || pattern.includes("*") || pattern.length > 255) {
    throw new TokenSettingError(
      "patterns",
      `"${text}" is neither a name nor a prefix. ${EXAMPLES}`,
    );
  }
  if (star && !SEPARATORS[protocol].includes(pattern.at(-1) ?? "")) {
    const separators = SEPARATORS[protocol];
    throw new TokenSettingError(
      "patterns",
      `A prefix ends with one of the separators ${separators} before the star. ${EXAMPLES}`,
    );
  }
  return { protocol, pattern, isPrefix: star !== null };
}

/** Writes a reservation as `parseReservedPattern` reads it; below a repository, `**` is usual. */
export function reservedPatternText({
  protocol,
  pattern,
  isPrefix,
}: Pick<NewReservation, "protocol" | "pattern" | "isPrefix">): string {
  if (!isPrefix) return pattern;
  return protocol === "oci" ? `${pattern}**` : `${pattern}*`;
}

const EXAMPLES = "Examples: Acme.Widgets, Acme.*, @acme/*, team/app/**.";

/** Returns the prefixes of a name that a reservation may have, shortest first. */
export function prefixesOf(protocol: Protocol, name: string): readonly string[] {
  return Array.from(name.slice(0, -1), (_, index) => name.slice(0, index + 1)).filter((prefix) =>
    SEPARATORS[protocol].includes(prefix.at(-1) ?? ""),
  );
}
