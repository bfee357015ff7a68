import { parsePatterns } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { GroupMember, VersionRule } from "./package-group.ts";

const PROTOCOLS: ReadonlySet<string> = new Set(["nuget", "npm", "oci"]);

/** Parses `latest-stable`, `latest`, `latest-tag`, `pattern:1.2.*` or `exact:1.2.3`. */
export function parseVersionRule(text: string): VersionRule | undefined {
  if (text === "latest-stable" || text === "latest" || text === "latest-tag") {
    return { type: text };
  }
  const colon = text.indexOf(":");
  const [type, value] = [text.slice(0, colon), text.slice(colon + 1)];
  if ((type !== "pattern" && type !== "exact") || value === "" || value.length > 255) {
    return undefined;
  }
  return { type, text: value };
}

/** The text that `parseVersionRule` parses. */
export function ruleText(rule: VersionRule): string {
  return rule.type === "pattern" || rule.type === "exact" ? `${rule.type}:${rule.text}` : rule.type;
}

/**
 * Parses `npm:@acme/bar` or `nuget:Acme.*`, with a rule after `=`: `oci:team/app=exact:1.4`.
 * Without one, `rule` applies.
 */
export function parseMember(text: string, rule: VersionRule): GroupMember | undefined {
  const [, protocol = "", pattern = "", ownRule] =
    /^([a-z]+):([^=\s]+)(?:=(.+))?$/.exec(text) ?? [];
  if (!isProtocol(protocol) || !isPattern(pattern)) return undefined;
  const parsed = ownRule === undefined ? rule : parseVersionRule(ownRule);
  return parsed && { protocol, pattern, rule: parsed };
}

/** The text that `parseMember` parses. */
export function memberText({ protocol, pattern, rule }: GroupMember): string {
  return `${protocol}:${pattern}=${ruleText(rule)}`;
}

function isProtocol(text: string): text is Protocol {
  return PROTOCOLS.has(text);
}

function isPattern(text: string): boolean {
  try {
    return parsePatterns(text).length === 1;
  } catch {
    return false;
  }
}
